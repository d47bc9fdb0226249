// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/count_knob.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "ui/number_text.h"
#include "ui/widgets/spins.h"

namespace trainscope::ui {

namespace {

constexpr int largestCount = 9'999'999;
constexpr int largestPower = 2048;

}  // namespace

CountKnob::CountKnob(const QString& name, const QString& title, Buttons buttons, QWidget* parent)
    : Knob(name, title, parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(layout->spacing() / 3);
    auto* spin = new LineSpin<QSpinBox>;
    spin_ = spin;
    spin_->setRange(1, largestCount);
    spin_->setKeyboardTracking(false);
    spin_->setGroupSeparatorShown(true);
    // Room for counts of everyday, not for the largest.
    spin_->setMinimumWidth(spin_->fontMetrics().horizontalAdvance(QLocale().toString(88'888)) +
                           spin_->fontMetrics().height() * 5 / 4);
    layout->addWidget(spin_, 1);
    setControl(spin_);
    if (buttons != Buttons::none) {
        addScale();
    }
    if (buttons == Buttons::powers) {
        addPowers();
    }

    connect(spin->line(), &QLineEdit::textEdited, this, [this](const QString& text) {
        edited_ = true;
        bool right = false;
        const qlonglong count = QLocale().toLongLong(text, &right);
        Q_EMIT previewed(right && count >= spin_->minimum() ? QVariant(count) : QVariant());
    });
    connect(spin_, &QSpinBox::valueChanged, this, [this](int count) {
        edited_ = false;
        turn(QVariant::fromValue<qlonglong>(count));
    });
    spin->refused = [this](const QString& text) { refused_ = text; };
    connect(spin_, &QSpinBox::editingFinished, this, [this] {
        edited_ = false;
        turn(QVariant::fromValue<qlonglong>(spin_->value()));
        if (!refused_.isEmpty()) {
            refuse(tr("Expected a whole number from %1 to %2; found \u201c%3\u201d.")
                       .arg(countText(spin_->minimum()), countText(spin_->maximum()),
                            std::exchange(refused_, {})));
        }
    });
}

void CountKnob::addScale() {
    half_ = addButton(QStringLiteral("\u00bd"), QStringLiteral("Halve"));
    twice_ = addButton(QStringLiteral("\u00d72"), QStringLiteral("Double"));
    half_->setAccessibleName(tr("Halve"));
    twice_->setAccessibleName(tr("Double"));
    connect(half_, &QToolButton::clicked, this,
            [this] { spin_->setValue(static_cast<int>(halved())); });
    connect(twice_, &QToolButton::clicked, this,
            [this] { spin_->setValue(static_cast<int>(doubled())); });
}

QToolButton* CountKnob::addButton(const QString& text, const QString& name) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setObjectName(objectName() + name);
    button->setFocusPolicy(Qt::TabFocus);
    button->installEventFilter(this);
    button->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);
    layout()->addWidget(button);
    return button;
}

void CountKnob::addPowers() {
    QToolButton* button = addButton(QStringLiteral("2\u207f"), QStringLiteral("Powers"));
    button->setAccessibleName(tr("Powers of two"));
    button->setToolTip(tr("Powers of two, each with the memory it needs"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    connect(button->menu(), &QMenu::aboutToShow, this, &CountKnob::fillPowers);
}

void CountKnob::fillPowers() {
    QMenu* menu = findChild<QToolButton*>(objectName() + QStringLiteral("Powers"))->menu();
    menu->clear();
    for (int power = 1; power <= largestPower; power *= 2) {
        const QString cost = cost_ ? cost_(power) : QString();
        // What follows a tab is put in a column of its own.
        QAction* action = menu->addAction(countText(power) + QLatin1Char('\t') + cost);
        action->setData(power);
        action->setCheckable(true);
        action->setChecked(power == spin_->value());
        connect(action, &QAction::triggered, this, [this, power] { spin_->setValue(power); });
    }
}

void CountKnob::setLargest(int largest) {
    spin_->setMaximum(largest);
}

std::int64_t CountKnob::halved() const {
    return std::max(1, spin_->value() / 2);
}

std::int64_t CountKnob::doubled() const {
    const std::int64_t now = spin_->value();
    const std::int64_t end =
        std::min<std::int64_t>(spin_->maximum(), doublingEnd_.value_or(2 * now));
    return std::max(now, std::min(end, 2 * now));
}

QString CountKnob::withCost(const QString& text, std::int64_t count) const {
    const QString cost = cost_ ? cost_(count) : QString();
    return cost.isEmpty() ? text : tr("%1 (%2)").arg(text, cost);
}

void CountKnob::commit() {
    spin_->interpretText();
}

void CountKnob::setToolTips(const QString& what) {
    spin_->setToolTip(what);
    label()->setToolTip(what);
}

void CountKnob::setZero(const QString& words, const QString& suffix) {
    spin_->setMinimum(0);
    spin_->setSpecialValueText(words);
    spin_->setSuffix(suffix);
}

void CountKnob::display(const QVariant& value) {
    const QSignalBlocker quiet(spin_);
    edited_ = false;
    const int count = static_cast<int>(
        std::clamp<qlonglong>(value.toLongLong(), spin_->minimum(), spin_->maximum()));
    if (spin_->value() == count) {
        spin_->setValue(count == 1 ? 2 : 1);  // so that half-typed text goes too
    }
    spin_->setValue(count);
}

bool CountKnob::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        if (watched == half_) {
            half_->setToolTip(withCost(tr("Halve to %1").arg(countText(halved())), halved()));
        } else if (watched == twice_) {
            twice_->setToolTip(withCost(tr("Double to %1").arg(countText(doubled())), doubled()));
        }
    }
    return Knob::eventFilter(watched, event);
}

}  // namespace trainscope::ui
