// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/budget_knob.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QRegularExpression>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/byte_size.h"
#include "ui/number_text.h"
#include "ui/widgets/spins.h"

namespace trainscope::ui {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double largestBudget = 16.0 * 1024.0 * 1024.0;  // MiB

QVariant bytesOf(double mebibytes) {
    return static_cast<qlonglong>(std::llround(mebibytes * mebibyte));
}

// "512", "512 MiB", "1.5GB", "no limit": bytes. nullopt: none of these.
std::optional<double> readBudget(const QString& text, const QString& noLimit) {
    if (text == noLimit) {
        return 0;
    }
    static const QRegularExpression parts(QStringLiteral("^(.*?)\\s*([A-Za-z]*)$"));
    const QRegularExpressionMatch match = parts.match(text);
    const std::optional<double> number = readNumber(match.captured(1));
    const std::string unit = match.captured(2).toStdString();
    const std::optional<double> bytes = unit.empty() ? mebibyte : bytes_of_unit(unit);
    if (!number || !bytes || !(*number >= 0) || *number * *bytes > largestBudget * mebibyte) {
        return std::nullopt;
    }
    return *number * *bytes;
}

// Takes a size in any unit, and shows it in MiB.
class BudgetSpin : public LineSpin<QDoubleSpinBox> {
  public:
    QValidator::State validate(QString& text, int& /*position*/) const override {
        return read(text) ? QValidator::Acceptable : QValidator::Intermediate;
    }
    double valueFromText(const QString& text) const override {
        // The number shown is rounded; read again it is still the value.
        const std::optional<double> bytes = read(text);
        return bytes && typed(text) != textFromValue(value()) ? *bytes / mebibyte : value();
    }
    // Without the suffix, which stays behind a unit that is typed.
    QString typed(QString text) const {
        if (text.endsWith(suffix())) {
            text.chop(static_cast<int>(suffix().size()));
        }
        return text.trimmed();
    }
    QString textFromValue(double mebibytes) const override {
        return mebibytes >= 0.01 ? locale().toString(mebibytes, 'f', 2)
                                 : locale().toString(mebibytes, 'g', 3);
    }

  private:
    std::optional<double> read(const QString& text) const {
        return readBudget(typed(text), specialValueText());
    }
};

}  // namespace

BudgetKnob::BudgetKnob(const QString& name, const QString& title, QWidget* parent)
    : Knob(name, title, parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    auto* spin = new BudgetSpin;
    spin_ = spin;
    spin_->setRange(0, largestBudget);
    spin_->setDecimals(6);  // to the byte
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
    spin->refused = [this, spin](const QString& text) { refused_ = spin->typed(text); };
    connect(spin_, &QDoubleSpinBox::editingFinished, this, [this] {
        edited_ = false;
        if (!refused_.isEmpty()) {
            refuse(tr("Expected a size such as 512 MiB or 8 GiB, or 0 for no limit; found "
                      "\u201c%1\u201d.")
                       .arg(std::exchange(refused_, {})));
        }
    });
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
