// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/palette.h"

#include <algorithm>
#include <cmath>

namespace trainscope::ui {
namespace {

// 0xRRGGBB.
QColor rgb(unsigned value, int alpha = 255) {
    QColor color = QColor::fromRgb(value);
    color.setAlpha(alpha);
    return color;
}

QColor mixed(const QColor& one, const QColor& other, double share_of_one) {
    const auto mix = [share_of_one](int a, int b) {
        return static_cast<int>(std::lround(a * share_of_one + b * (1 - share_of_one)));
    };
    return QColor(mix(one.red(), other.red()), mix(one.green(), other.green()),
                  mix(one.blue(), other.blue()));
}

// Blue, orange, green, purple, yellow, grey after Okabe and Ito (2008), set darker or lighter for
// the contrast.
void setSeries(Colors& colors, const std::array<unsigned, 6>& lines,
               const std::array<unsigned, 6>& fills, unsigned on_fill, double faint) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QColor line = rgb(lines[i]);
        colors.series[i] = {line, mixed(line, colors.plot, faint), rgb(fills[i]), rgb(on_fill)};
    }
}

Colors makeLight() {
    Colors c;
    c.dark = false;
    c.window = rgb(0xf6f7f8);
    c.text = rgb(0x1b1f24);
    c.quiet_text = rgb(0x57606a);
    c.plot = rgb(0xffffff);
    c.frame = rgb(0xc3c9d0);
    c.grid = rgb(0xe6e9ed);
    c.grid_minor = rgb(0xf1f3f5);
    c.label_ground = rgb(0xffffff, 235);
    c.label_frame = rgb(0xb4bcc5);
    c.crosshair = rgb(0x57606a);
    c.selection = rgb(0x0a66b7, 40);
    c.annotation = rgb(0x57606a);
    c.refused = rgb(0xb3261e);
    c.budget = rgb(0xb3261e);
    c.gap = rgb(0xb3261e);
    c.error_text = rgb(0xa31212);
    c.warning_text = rgb(0x7a4a00);
    c.error_ground = rgb(0xfbddda);
    c.pending_ground = rgb(0xddeaf8);
    setSeries(c, {0x0a66b7, 0xb84a00, 0x00735a, 0x8f3f8f, 0x7a5c00, 0x57606a},
              {0x86b6e0, 0xf6c59c, 0x7cc4a6, 0xdcc0e6, 0xe6cf6e, 0xccd3da}, 0x1b1f24, 0.32);
    return c;
}

Colors makeDark() {
    Colors c;
    c.dark = true;
    c.window = rgb(0x1c2026);
    c.text = rgb(0xe8eaed);
    c.quiet_text = rgb(0xa9b2bc);
    c.plot = rgb(0x14171b);
    c.frame = rgb(0x434b55);
    c.grid = rgb(0x2a3038);
    c.grid_minor = rgb(0x1f242a);
    c.label_ground = rgb(0x1c2026, 235);
    c.label_frame = rgb(0x56606b);
    c.crosshair = rgb(0xa9b2bc);
    c.selection = rgb(0x58b0f5, 55);
    c.annotation = rgb(0xa9b2bc);
    c.refused = rgb(0xff8a80);
    c.budget = rgb(0xff8a80);
    c.gap = rgb(0xff8a80);
    c.error_text = rgb(0xff9a8f);
    c.warning_text = rgb(0xf2c16b);
    c.error_ground = rgb(0x5a1e1e);
    c.pending_ground = rgb(0x1f3750);
    setSeries(c, {0x58b0f5, 0xff9d5c, 0x3fcf9f, 0xd79be0, 0xe0bf4f, 0xa9b2bc},
              {0x1f4f7d, 0x80471b, 0x13604b, 0x5f3a70, 0x675413, 0x3e4650}, 0xf2f4f6, 0.38);
    return c;
}

double luminance(const QColor& color) {
    const auto linear = [](double channel) {
        return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

}  // namespace

const Colors& lightColors() {
    static const Colors colors = makeLight();
    return colors;
}

const Colors& darkColors() {
    static const Colors colors = makeDark();
    return colors;
}

const Colors& colorsFor(const QPalette& palette) {
    return colorsFor(palette.color(QPalette::Window).lightness() < 128);
}

QPalette applicationPalette(const Colors& c) {
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.plot);
    palette.setColor(QPalette::AlternateBase, c.window);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.quiet_text);
    palette.setColor(QPalette::Button, c.dark ? mixed(c.window, c.frame, 0.6) : c.window);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::ToolTipBase, c.plot);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Highlight, c.dark ? c.series[0].fill : c.series[0].line);
    palette.setColor(QPalette::HighlightedText, rgb(0xffffff));
    palette.setColor(QPalette::Link, c.series[0].line);
    palette.setColor(QPalette::BrightText, c.error_text);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, mixed(c.text, c.window, 0.45));
    }
    return palette;
}

double contrast(const QColor& one, const QColor& other) {
    const auto [low, high] = std::minmax({luminance(one), luminance(other)});
    return (high + 0.05) / (low + 0.05);
}

}  // namespace trainscope::ui
