// SPDX-License-Identifier: GPL-3.0-or-later
// A knob with a few named positions.
#pragma once

#include <QComboBox>

#include "ui/knobs/knob.h"

namespace trainscope::ui {

class ChoiceKnob : public Knob {
    Q_OBJECT

  public:
    ChoiceKnob(const QString& name, const QString& title, QWidget* parent = nullptr);

    // `value` is what value() gives. A position that is not offered is shown and cannot be chosen.
    void addPosition(const QString& value, const QString& text, const QString& description,
                     bool offered = true);
    // Takes all positions away; what is chosen stays so. Add others, then showPositions().
    void clearPositions();
    void showPositions() { display(value()); }
    void setPositionText(const QString& value, const QString& text);
    void setToolTips(const QString& what);

  protected:
    void display(const QVariant& value) override;
    bool editing() const override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QComboBox* combo_;
    QString what_;
};

}  // namespace trainscope::ui
