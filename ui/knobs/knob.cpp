// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/knob.h"

#include <QEvent>
#include <QKeyEvent>

#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

Knob::Knob(const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent),
      title_(title),
      label_(new QLabel(title, this)),
      note_(new ToneLabel(Tone::quiet, this)) {
    setObjectName(name);
    label_->setObjectName(name + QStringLiteral("Label"));
    note_->setObjectName(name + QStringLiteral("Note"));
    note_->hide();
}

QLabel* Knob::note() const {
    return note_;
}

void Knob::setControl(QWidget* control) {
    control->setObjectName(objectName() + QStringLiteral("Edit"));
    control->setAccessibleName(QString(title_).remove(QLatin1Char('&')));
    label_->setBuddy(control);
    setFocusProxy(control);
}

void Knob::setValue(const QVariant& value) {
    value_ = value;
    running_ = value;
    pending_ = false;
    reason_.clear();
    display(value_);
    showState();
}

bool Knob::setRunning(const QVariant& running) {
    running_ = running;
    if (pending_ || editing() || value_ == running) {
        return false;
    }
    value_ = running;
    reason_.clear();  // of a turn before the one that brought this value
    display(value_);
    showState();
    return true;
}

void Knob::setPending() {
    pending_ = true;
    reason_.clear();
    showState();
}

void Knob::setAnswer(bool applied, const QString& reason) {
    pending_ = false;
    if (applied) {
        running_ = value_;
    } else {
        value_ = running_;
        reason_ = reason;
        display(value_);
    }
    showState();
}

void Knob::setOffered(bool offered) {
    offered_ = offered;
    setVisible(offered);
    label_->setVisible(offered);
    showState();
}

void Knob::setHint(const QString& hint) {
    if (hint_ != hint) {
        hint_ = hint;
        showState();
    }
}

void Knob::turn(const QVariant& value) {
    if (value == value_) {
        if (!reason_.isEmpty()) {
            reason_.clear();
            showState();
        }
        return;
    }
    value_ = value;
    reason_.clear();
    showState();
    Q_EMIT turned();
}

void Knob::refuse(const QString& reason) {
    display(value_);
    reason_ = reason;
    showState();
}

void Knob::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        showState();
    }
    QWidget::changeEvent(event);
}

void Knob::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && editing()) {
        display(value_);
        Q_EMIT previewed({});
        return;
    }
    QWidget::keyPressEvent(event);
}

void Knob::showState() {
    // The look must not move anything: an answer usually comes within a few milliseconds.
    setProperty("pending", pending_);
    label_->setText(pending_ ? title_ + QStringLiteral("\u2026") : title_);
    QFont font = this->font();
    font.setItalic(pending_);
    label_->setFont(font);
    if (focusProxy() != nullptr) {
        focusProxy()->setAccessibleDescription(
            pending_ ? tr("Waiting until the training applies it") : QString());
    }

    const bool refused = !reason_.isEmpty();
    note_->setText(refused ? reason_ : hint_);
    note_->setTone(refused ? Tone::error : Tone::quiet);
    note_->setVisible(offered_ && !note_->text().isEmpty());
}

}  // namespace trainscope::ui
