// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/choice_knob.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QHBoxLayout>
#include <QStandardItemModel>

namespace trainscope::ui {

ChoiceKnob::ChoiceKnob(const QString& name, const QString& title, QWidget* parent)
    : Knob(name, title, parent), combo_(new QComboBox) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins({});
    combo_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    // A dock is narrow; the list that opens is as wide as its longest line.
    combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo_->setMinimumContentsLength(8);
    layout->addWidget(combo_);
    setControl(combo_);
    combo_->view()->installEventFilter(this);
    connect(combo_, &QComboBox::activated, this, [this](int at) { turn(combo_->itemData(at)); });
    connect(combo_, &QComboBox::highlighted, this,
            [this](int at) { Q_EMIT previewed(combo_->itemData(at)); });
}

void ChoiceKnob::addPosition(const QString& value, const QString& text, const QString& description,
                             bool offered) {
    combo_->addItem(text, value);
    const int at = combo_->count() - 1;
    combo_->setItemData(at, description, Qt::ToolTipRole);
    if (!offered) {
        if (auto* model = qobject_cast<QStandardItemModel*>(combo_->model())) {
            model->item(at)->setEnabled(false);
        }
    }
}

void ChoiceKnob::clearPositions() {
    const QSignalBlocker quiet(combo_);
    combo_->clear();
}

void ChoiceKnob::setPositionText(const QString& value, const QString& text) {
    const int at = combo_->findData(value);
    if (at >= 0 && combo_->itemText(at) != text) {
        combo_->setItemText(at, text);
    }
}

void ChoiceKnob::setToolTips(const QString& what) {
    what_ = what;
    label()->setToolTip(what);
    display(value());
}

void ChoiceKnob::display(const QVariant& value) {
    const QSignalBlocker quiet(combo_);
    int at = combo_->findData(value);
    if (at < 0 && !value.toString().isEmpty()) {
        // Came from a file or another machine: shown as it is, so that nothing is changed unasked.
        addPosition(value.toString(), value.toString(), tr("Not known here"));
        at = combo_->count() - 1;
    }
    combo_->setCurrentIndex(at);
    const QString description = combo_->itemData(at, Qt::ToolTipRole).toString();
    combo_->setToolTip(description.isEmpty() ? what_
                                             : what_ + QStringLiteral("\n\n") + description);
}

bool ChoiceKnob::editing() const {
    return combo_->view()->isVisible();
}

bool ChoiceKnob::eventFilter(QObject* watched, QEvent* event) {
    if (watched == combo_->view()) {
        if (event->type() == QEvent::Hide) {
            Q_EMIT previewed({});
        } else if (event->type() == QEvent::Show) {
            QAbstractItemView* list = combo_->view();
            list->setMinimumWidth(list->sizeHintForColumn(0) + list->fontMetrics().height() * 2);
        }
    }
    return Knob::eventFilter(watched, event);
}

}  // namespace trainscope::ui
