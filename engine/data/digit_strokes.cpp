// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/digit_strokes.h"

#include <algorithm>
#include <array>

namespace trainscope {

namespace {

constexpr int pieces_per_span = 5;

Stroke curve(std::vector<StrokePoint> points) {
    return {std::move(points), true};
}
Stroke lines(std::vector<StrokePoint> points) {
    return {std::move(points), false};
}

std::array<std::vector<Glyph>, 10> make_glyphs() {
    const Stroke ring = curve({{0.5, 0.0},
                               {0.2, 0.18},
                               {0.13, 0.5},
                               {0.2, 0.82},
                               {0.5, 1.0},
                               {0.8, 0.82},
                               {0.87, 0.5},
                               {0.8, 0.18},
                               {0.5, 0.0}});
    const Stroke two =
        curve({{0.18, 0.25}, {0.35, 0.03}, {0.68, 0.04}, {0.8, 0.27}, {0.62, 0.58}, {0.2, 1.0}});
    const Stroke upper_three =
        curve({{0.2, 0.12}, {0.5, 0.0}, {0.77, 0.2}, {0.68, 0.41}, {0.45, 0.48}});
    const Stroke lower_three =
        curve({{0.45, 0.48}, {0.75, 0.56}, {0.82, 0.78}, {0.52, 1.0}, {0.17, 0.88}});
    const Stroke five =
        curve({{0.22, 0.45}, {0.52, 0.38}, {0.82, 0.6}, {0.72, 0.92}, {0.42, 1.0}, {0.15, 0.88}});
    const Stroke six = curve({{0.72, 0.0},
                              {0.36, 0.3},
                              {0.2, 0.66},
                              {0.32, 0.95},
                              {0.62, 0.98},
                              {0.8, 0.75},
                              {0.6, 0.53},
                              {0.34, 0.58},
                              {0.22, 0.72}});
    const Stroke seven = curve({{0.85, 0.0}, {0.56, 0.5}, {0.4, 1.0}});
    const Stroke eight = curve({{0.5, 0.46},
                                {0.22, 0.24},
                                {0.5, 0.0},
                                {0.78, 0.24},
                                {0.5, 0.46},
                                {0.17, 0.75},
                                {0.5, 1.0},
                                {0.83, 0.75},
                                {0.5, 0.46}});
    const Stroke loop_of_nine =
        curve({{0.78, 0.3}, {0.52, 0.5}, {0.22, 0.3}, {0.42, 0.02}, {0.72, 0.1}, {0.78, 0.3}});
    return {{
        {{ring}},
        {{lines({{0.28, 0.22}, {0.52, 0.0}, {0.52, 1.0}})},
         {lines({{0.5, 0.0}, {0.5, 1.0}})},
         {lines({{0.28, 0.22}, {0.52, 0.0}, {0.52, 1.0}}), lines({{0.25, 1.0}, {0.8, 1.0}})}},
        {{two, lines({{0.2, 1.0}, {0.86, 1.0}})},
         {two, curve({{0.2, 1.0}, {0.38, 0.85}, {0.6, 0.97}, {0.85, 0.93}})}},
        {{upper_three, lower_three}, {lines({{0.18, 0.0}, {0.8, 0.0}, {0.45, 0.42}}), lower_three}},
        {{lines({{0.66, 1.0}, {0.66, 0.0}, {0.14, 0.66}, {0.9, 0.66}})},
         {lines({{0.26, 0.0}, {0.18, 0.52}, {0.86, 0.52}}), lines({{0.72, 0.1}, {0.68, 1.0}})}},
        {{lines({{0.8, 0.0}, {0.27, 0.0}, {0.22, 0.45}}), five}},
        {{six}},
        {{lines({{0.15, 0.0}, {0.85, 0.0}}), seven},
         {lines({{0.15, 0.0}, {0.85, 0.0}}), seven, lines({{0.3, 0.5}, {0.8, 0.48}})}},
        {{eight}},
        {{loop_of_nine, curve({{0.78, 0.3}, {0.76, 0.65}, {0.6, 1.0}})},
         {loop_of_nine, curve({{0.78, 0.3}, {0.78, 0.7}, {0.6, 0.97}, {0.25, 0.92}})}},
    }};
}

double catmull_rom(double before, double from, double to, double after, double t) {
    return 0.5 * (2 * from + (to - before) * t + (2 * before - 5 * from + 4 * to - after) * t * t +
                  (3 * from - before - 3 * to + after) * t * t * t);
}

}  // namespace

const std::vector<Glyph>& digit_glyphs(std::size_t digit) {
    static const std::array<std::vector<Glyph>, 10> glyphs = make_glyphs();
    return glyphs.at(digit);
}

std::vector<StrokePoint> flatten_stroke(const Stroke& stroke) {
    if (!stroke.curved) {
        return stroke.points;
    }
    const auto& points = stroke.points;
    const auto at = [&](std::ptrdiff_t i) {
        const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
        return points[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, last))];
    };
    std::vector<StrokePoint> chain = {points.front()};
    for (std::ptrdiff_t i = 0; i + 1 < static_cast<std::ptrdiff_t>(points.size()); ++i) {
        for (int piece = 1; piece <= pieces_per_span; ++piece) {
            const double t = static_cast<double>(piece) / pieces_per_span;
            chain.push_back({catmull_rom(at(i - 1).x, at(i).x, at(i + 1).x, at(i + 2).x, t),
                             catmull_rom(at(i - 1).y, at(i).y, at(i + 1).y, at(i + 2).y, t)});
        }
    }
    return chain;
}

}  // namespace trainscope
