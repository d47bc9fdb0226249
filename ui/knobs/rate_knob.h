// SPDX-License-Identifier: GPL-3.0-or-later
// A knob for a positive number of any size, such as the learning rate.
#pragma once

#include <QLineEdit>

#include "ui/knobs/knob.h"

namespace trainscope::ui {

class RateKnob : public Knob {
    Q_OBJECT

  public:
    RateKnob(const QString& name, const QString& title, QWidget* parent = nullptr);

    void commit() override;
    void setToolTips(const QString& what);

  protected:
    void display(const QVariant& value) override;
    bool editing() const override { return line_->isModified(); }

  private:
    void addButton(const QString& text, const QString& name, const QString& what, float factor);
    void scale(float factor);

    QLineEdit* line_;
};

}  // namespace trainscope::ui
