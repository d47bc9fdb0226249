// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/budget_knob.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <cmath>

#include "ui/panels/spins.h"

namespace trainscope::ui {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double largestBudget = 16.0 * 1024.0 * 1024.0;  // MiB

QVariant bytesOf(double mebibytes) {
    return static_cast<qlonglong>(std::llround(mebibytes * mebibyte));
}

}  // namespace

BudgetKnob::BudgetKnob(const QString& name, const QString& title, QWidget* parent)
    : Knob(name, title, parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    auto* spin = new LineSpin<QDoubleSpinBox>;
    spin_ = spin;
    spin_->setRange(0, largestBudget);
    spin_->setDecimals(2);
    spin_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    spin_->setSuffix(QStringLiteral("\u00a0MiB"));
    spin_->setSpecialValueText(tr("no limit"));
    spin_->setKeyboardTracking(false);
    layout->addWidget(spin_, 1);
    setControl(spin_);
    connect(spin->line(), &QLineEdit::textEdited, this, [this] { edited_ = true; });
    // Only a change: the number shown is rounded, and the bytes must not be.
    connect(spin_, &QDoubleSpinBox::valueChanged, this, [this](double mebibytes) {
        edited_ = false;
        turn(bytesOf(mebibytes));
    });
    connect(spin_, &QDoubleSpinBox::editingFinished, this, [this] { edited_ = false; });
}

void BudgetKnob::commit() {
    spin_->interpretText();
}

void BudgetKnob::setToolTips(const QString& what) {
    spin_->setToolTip(what);
    label()->setToolTip(what);
}

void BudgetKnob::display(const QVariant& value) {
    const QSignalBlocker quiet(spin_);
    edited_ = false;
    const double mebibytes = static_cast<double>(value.toLongLong()) / mebibyte;
    if (spin_->value() == mebibytes) {
        spin_->setValue(mebibytes + 1);  // so that half-typed text goes too
    }
    spin_->setValue(mebibytes);
}

}  // namespace trainscope::ui
