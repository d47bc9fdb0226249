// SPDX-License-Identifier: GPL-3.0-or-later
// How the generated digits are written: each as strokes through points, in a box of 1 x 1 with y
// downwards.
#pragma once

#include <cstddef>
#include <vector>

namespace trainscope {

struct StrokePoint {
    double x, y;
};

// A curve through its points (Catmull and Rom 1974), or straight lines between them.
struct Stroke {
    std::vector<StrokePoint> points;
    bool curved = true;
};

using Glyph = std::vector<Stroke>;

// The ways of writing a digit, 0..9; at least one.
const std::vector<Glyph>& digit_glyphs(std::size_t digit);

// The stroke as a chain of short lines.
std::vector<StrokePoint> flatten_stroke(const Stroke& stroke);

}  // namespace trainscope
