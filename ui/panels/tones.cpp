// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/tones.h"

namespace trainscope::ui {

bool isDark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128;
}

QColor toneText(const QPalette& palette, Tone tone) {
    const bool dark = isDark(palette);
    switch (tone) {
        case Tone::error:
            return dark ? QColor(0xff, 0x9a, 0x8f) : QColor(0xa3, 0x12, 0x12);
        case Tone::warning:
            return dark ? QColor(0xf2, 0xc1, 0x6b) : QColor(0x7a, 0x4a, 0x00);
        case Tone::quiet:
            return dark ? QColor(0xb4, 0xb8, 0xbe) : QColor(0x50, 0x54, 0x5a);
    }
    return palette.color(QPalette::WindowText);
}

QColor toneGround(const QPalette& palette, Tone tone) {
    const bool dark = isDark(palette);
    switch (tone) {
        case Tone::error:
            return dark ? QColor(0x5a, 0x1e, 0x1e) : QColor(0xfb, 0xdd, 0xda);
        case Tone::warning:
            return dark ? QColor(0x4d, 0x3a, 0x10) : QColor(0xfd, 0xee, 0xc8);
        case Tone::quiet:
            return dark ? QColor(0x1f, 0x37, 0x50) : QColor(0xdd, 0xea, 0xf8);
    }
    return palette.color(QPalette::Window);
}

}  // namespace trainscope::ui
