// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/rate_knob.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <cmath>

#include "ui/number_text.h"

namespace trainscope::ui {

namespace {

// The training keeps rates as floats; so does the knob, so that both are equal.
QVariant rateValue(float rate) {
    return static_cast<double>(rate);
}

bool isRate(float rate) {
    return std::isfinite(rate) && rate > 0;
}

}  // namespace

RateKnob::RateKnob(const QString& name, const QString& title, QWidget* parent)
    : Knob(name, title, parent), line_(new QLineEdit) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(layout->spacing() / 2);
    layout->addWidget(line_, 1);
    setControl(line_);
    addButton(QStringLiteral("\u00bd"), QStringLiteral("Halve"), tr("Halve"), 0.5F);
    addButton(QStringLiteral("\u00d72"), QStringLiteral("Double"), tr("Double"), 2.0F);
    connect(line_, &QLineEdit::editingFinished, this, &RateKnob::commit);
}

void RateKnob::addButton(const QString& text, const QString& name, const QString& what,
                         float factor) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setObjectName(objectName() + name);
    button->setAccessibleName(what);
    button->setToolTip(what);
    button->setFocusPolicy(Qt::TabFocus);
    button->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);
    layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, factor] { scale(factor); });
}

void RateKnob::scale(float factor) {
    commit();
    const float rate = factor * value().toFloat();
    if (isRate(rate)) {
        turn(rateValue(rate));
        display(value());
    }
}

void RateKnob::commit() {
    if (!line_->isModified()) {
        return;
    }
    const QString text = line_->text().trimmed();
    const std::optional<double> number = readNumber(text);
    const float rate = number ? static_cast<float>(*number) : 0.0F;
    if (!isRate(rate)) {
        refuse(
            tr("Expected a number above 0, such as 0.05 or 1e-3; found \u201c%1\u201d.").arg(text));
        return;
    }
    line_->setModified(false);
    turn(rateValue(rate));
    display(value());
}

void RateKnob::setToolTips(const QString& what) {
    line_->setToolTip(what);
    label()->setToolTip(what);
}

void RateKnob::display(const QVariant& value) {
    line_->setText(floatText(value.toFloat()));  // also: not modified
}

}  // namespace trainscope::ui
