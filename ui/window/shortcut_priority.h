// SPDX-License-Identifier: GPL-3.0-or-later
// Shortcuts of a window go before what the control with the focus would do with the same keys: a
// line edit takes Ctrl+E and others for itself.
#pragma once

#include <QMainWindow>
#include <QObject>

namespace trainscope::ui {

class ShortcutPriority : public QObject {
    Q_OBJECT

  public:
    // For the actions that the window has itself; lives as long as it.
    explicit ShortcutPriority(QMainWindow* window);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    bool holds(const QObject* watched) const;

    QMainWindow* window_;
};

}  // namespace trainscope::ui
