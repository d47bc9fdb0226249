// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tone_label.h"

#include <QEvent>

#include "ui/theme/palette.h"

namespace trainscope::ui {

namespace {

QColor colorOf(Tone tone, const Colors& colors) {
    switch (tone) {
        case Tone::error:
            return colors.error_text;
        case Tone::warning:
            return colors.warning_text;
        case Tone::quiet:
            return colors.quiet_text;
    }
    return colors.text;
}

}  // namespace

ToneLabel::ToneLabel(std::optional<Tone> tone, QWidget* parent) : QLabel(parent), tone_(tone) {
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    applyTone();
}

void ToneLabel::setTone(std::optional<Tone> tone) {
    if (tone_ != tone) {
        tone_ = tone;
        applyTone();
    }
}

void ToneLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ParentChange) {
        applyTone();
    }
}

void ToneLabel::applyTone() {
    QPalette own;  // names only what differs, so that the rest is inherited
    if (tone_) {
        own.setColor(QPalette::WindowText, colorOf(*tone_, colorsFor(palette())));
    }
    if (own.resolveMask() != palette().resolveMask() ||
        own.color(QPalette::WindowText) != palette().color(QPalette::WindowText)) {
        setPalette(own);
    }
}

}  // namespace trainscope::ui
