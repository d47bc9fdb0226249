// SPDX-License-Identifier: GPL-3.0-or-later
// Colours that everybody can read.
#include "ui/theme/palette.h"

#include <gmock/gmock.h>

#include <cmath>

namespace trainscope::ui {
namespace {

using Rgb = std::array<double, 3>;

Rgb linear(const QColor& color) {
    const auto one = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return {one(color.redF()), one(color.greenF()), one(color.blueF())};
}

// CIE L*a*b* of a linear colour under D65.
Rgb lab(const Rgb& c) {
    const Rgb xyz = {(0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505,
                     0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2],
                     (0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089};
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    return {116 * f(xyz[1]) - 16, 500 * (f(xyz[0]) - f(xyz[1])), 200 * (f(xyz[1]) - f(xyz[2]))};
}

// How an eye without red or without green cones sees a colour: Machado et al. (2009), severity 1.
using Matrix = std::array<Rgb, 3>;
constexpr Matrix normal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix protanopia = {{{0.152286, 1.052583, -0.204868},
                                {0.114503, 0.786281, 0.099216},
                                {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix deuteranopia = {{{0.367322, 0.860646, -0.227968},
                                  {0.280085, 0.672501, 0.047413},
                                  {-0.011820, 0.042940, 0.968881}}};

double distance(const QColor& one, const QColor& other, const Matrix& eye) {
    const auto seen = [&eye](const QColor& color) {
        const Rgb c = linear(color);
        Rgb result{};
        for (std::size_t i = 0; i < 3; ++i) {
            result[i] = std::max(0.0, eye[i][0] * c[0] + eye[i][1] * c[1] + eye[i][2] * c[2]);
        }
        return lab(result);
    };
    const Rgb a = seen(one), b = seen(other);
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

class BothThemes : public testing::TestWithParam<bool> {
  protected:
    const Colors& colors = colorsFor(GetParam());
};

TEST_P(BothThemes, TextStandsOutFromWhatItIsOn) {
    for (const QColor& ground : {colors.window, colors.plot}) {
        for (const QColor& text :
             {colors.text, colors.quiet_text, colors.annotation, colors.refused, colors.budget,
              colors.gap, colors.error_text, colors.warning_text}) {
            EXPECT_GE(contrast(text, ground), 4.5)
                << text.name().toStdString() << " on " << ground.name().toStdString();
        }
    }
    EXPECT_GE(contrast(colors.error_text, colors.error_ground), 4.5);
    EXPECT_GE(contrast(colors.text, colors.pending_ground), 4.5);
}

TEST_P(BothThemes, CurvesStandOutFromThePlotAndNamesFromTheirBands) {
    for (const SeriesColors& series : colors.series) {
        EXPECT_GE(contrast(series.line, colors.plot), 4.5) << series.line.name().toStdString();
        EXPECT_GE(contrast(series.on_fill, series.fill), 4.5) << series.fill.name().toStdString();
    }
}

TEST_P(BothThemes, TheFirstSeriesDifferForEyesWithoutRedOrGreen) {
    for (const Matrix& eye : {normal, protanopia, deuteranopia}) {
        EXPECT_GE(distance(colors.series[0].line, colors.series[1].line, eye), 40);
        for (std::size_t i = 0; i + 1 < colors.series.size(); ++i) {
            // Bands lie on one another in this order.
            EXPECT_GE(distance(colors.series[i].fill, colors.series[i + 1].fill, eye), 10) << i;
        }
    }
}

TEST_P(BothThemes, TheProgramsPaletteIsReadable) {
    const QPalette palette = applicationPalette(colors);
    using Role = QPalette::ColorRole;
    const std::array<std::pair<Role, Role>, 5> pairs = {{
        {QPalette::WindowText, QPalette::Window},
        {QPalette::Text, QPalette::Base},
        {QPalette::ButtonText, QPalette::Button},
        {QPalette::ToolTipText, QPalette::ToolTipBase},
        {QPalette::HighlightedText, QPalette::Highlight},
    }};
    for (const auto& [text, ground] : pairs) {
        EXPECT_GE(contrast(palette.color(text), palette.color(ground)), 4.5) << text;
    }
    EXPECT_EQ(colorsFor(palette).dark, colors.dark);
}

INSTANTIATE_TEST_SUITE_P(Palette, BothThemes, testing::Bool(), [](const auto& info) {
    return info.param ? std::string("Dark") : std::string("Light");
});

TEST(Palette, ContrastIsThatOfWcag) {
    EXPECT_NEAR(contrast(Qt::black, Qt::white), 21, 1e-6);
    EXPECT_NEAR(contrast(Qt::white, Qt::white), 1, 1e-9);
    EXPECT_NEAR(contrast(QColor(0x76, 0x76, 0x76), Qt::white), 4.54, 0.01);
}

}  // namespace
}  // namespace trainscope::ui
