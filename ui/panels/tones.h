// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of the panels, for light and dark palettes. Text has a contrast of 4.5:1 or more on
// the ground it is made for.
#pragma once

#include <QColor>
#include <QPalette>

namespace trainscope::ui {

enum class Tone { error, warning, quiet };

bool isDark(const QPalette& palette);
// Text of this tone on the palette's window colour.
QColor toneText(const QPalette& palette, Tone tone);
// A ground of this tone for text in the palette's own text colour.
QColor toneGround(const QPalette& palette, Tone tone);

}  // namespace trainscope::ui
