// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour of the program, light and dark. Text and curves stand out from what they are on by
// at least 4.5 : 1, and no two series are told apart by colour alone.
#pragma once

#include <QColor>
#include <QPalette>
#include <array>
#include <cstddef>

namespace trainscope::ui {

// What a series is drawn with. A line has its color; a band its fill, an edge in `line` and its
// name in `on_fill` where there is room.
struct SeriesColors {
    QColor line;
    QColor faint;  // the raw values behind a smoothed line
    QColor fill;
    QColor on_fill;
};

struct Colors {
    bool dark = false;

    QColor window;  // behind charts and panels
    QColor text;
    QColor quiet_text;  // axis labels, units, notes

    QColor plot;   // behind the curves
    QColor frame;  // around the plot
    QColor grid;
    QColor grid_minor;
    QColor label_ground;  // of small labels over curves
    QColor label_frame;
    QColor crosshair;
    QColor selection;  // rubber band; translucent

    QColor annotation;
    QColor refused;  // an annotation that did not happen
    QColor budget;
    QColor gap;  // values that cannot be shown

    QColor error_text, warning_text;
    QColor error_ground, pending_ground;

    std::array<SeriesColors, 6> series;
};

const Colors& lightColors();
const Colors& darkColors();
inline const Colors& colorsFor(bool dark) {
    return dark ? darkColors() : lightColors();
}
// Qt 6.4 does not say whether the desktop is dark; its palette does.
const Colors& colorsFor(const QPalette& palette);

// The whole program in these colours.
QPalette applicationPalette(const Colors& colors);

// WCAG 2 contrast ratio, 1 .. 21.
double contrast(const QColor& one, const QColor& other);

}  // namespace trainscope::ui
