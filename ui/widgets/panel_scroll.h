// SPDX-License-Identifier: GPL-3.0-or-later
// A page of controls in a dock: scrolls up and down when it is too high, and is never narrower than
// what it holds.
#pragma once

#include <QScrollArea>

namespace trainscope::ui {

class PanelScroll : public QScrollArea {
    Q_OBJECT

  public:
    // Turning the wheel over a control scrolls the page, unless the control has the focus.
    explicit PanelScroll(QWidget* page, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace trainscope::ui
