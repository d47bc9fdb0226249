// SPDX-License-Identifier: GPL-3.0-or-later
// A knob for a limit in bytes, shown in MiB; 0 is no limit.
#pragma once

#include <QDoubleSpinBox>

#include "ui/knobs/knob.h"

namespace trainscope::ui {

class BudgetKnob : public Knob {
    Q_OBJECT

  public:
    BudgetKnob(const QString& name, const QString& title, QWidget* parent = nullptr);

    void commit() override;
    void setToolTips(const QString& what);

  protected:
    void display(const QVariant& value) override;
    bool editing() const override { return edited_; }

  private:
    QDoubleSpinBox* spin_;
    bool edited_ = false;
    QString refused_;  // typed, and no value
};

}  // namespace trainscope::ui
