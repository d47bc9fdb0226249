// SPDX-License-Identifier: GPL-3.0-or-later
// Generated digits: written with a pen of random width by a shaky hand, then turned, slanted,
// scaled, shifted, warped and covered with noise. Each is a function of (seed, split, index) alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/format.h"
#include "engine/core/random.h"
#include "engine/data/digit_strokes.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

constexpr std::int64_t default_train = 10'000;
constexpr std::int64_t default_test = 2'000;
constexpr std::int64_t largest_count = 1'000'000;
constexpr int side = 28;
constexpr std::size_t pixel_count = side * side;

// Where a point of the 1 x 1 box lands in the picture.
class Hand {
  public:
    explicit Hand(Random& random) {
        const double angle = random.uniform(-0.25, 0.25);
        const double slant = random.uniform(-0.3, 0.3);
        const double width = random.uniform(11.0, 17.5);
        const double height = random.uniform(14.0, 21.0);
        a_ = std::cos(angle) * width;
        b_ = std::cos(angle) * slant * height - std::sin(angle) * height;
        c_ = std::sin(angle) * width;
        d_ = std::sin(angle) * slant * height + std::cos(angle) * height;
        x_ = 0.5 * (side - 1) + random.uniform(-2.0, 2.0);
        y_ = 0.5 * (side - 1) + random.uniform(-2.0, 2.0);
        for (Wave& wave : waves_) {
            wave = {random.uniform(0, 0.9), random.uniform(3.0, 7.0),
                    random.uniform(0, 2 * std::numbers::pi)};
        }
    }

    StrokePoint place(StrokePoint p) const {
        const double bent_x = waves_[0].at(p.y);
        const double bent_y = waves_[1].at(p.x);
        const double x = p.x - 0.5;
        const double y = p.y - 0.5;
        return {a_ * x + b_ * y + x_ + bent_x, c_ * x + d_ * y + y_ + bent_y};
    }

  private:
    struct Wave {
        double pixels = 0, frequency = 0, phase = 0;
        double at(double t) const { return pixels * std::sin(frequency * t + phase); }
    };
    double a_, b_, c_, d_, x_, y_;
    std::array<Wave, 2> waves_{};
};

double distance_to_line(double x, double y, StrokePoint from, StrokePoint to) {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = dx * dx + dy * dy;
    const double t =
        length > 0 ? std::clamp(((x - from.x) * dx + (y - from.y) * dy) / length, 0.0, 1.0) : 0.0;
    const double off_x = x - from.x - t * dx;
    const double off_y = y - from.y - t * dy;
    return std::sqrt(off_x * off_x + off_y * off_y);
}

// The distance of each pixel to the nearest stroke, exact near them.
class Paper {
  public:
    Paper() { distance_.fill(std::numeric_limits<double>::infinity()); }

    void draw(StrokePoint from, StrokePoint to, double reach) {
        const auto clamp = [](double v) {
            return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(side - 1)));
        };
        const int left = clamp(std::floor(std::min(from.x, to.x) - reach));
        const int right = clamp(std::ceil(std::max(from.x, to.x) + reach));
        const int top = clamp(std::floor(std::min(from.y, to.y) - reach));
        const int bottom = clamp(std::ceil(std::max(from.y, to.y) + reach));
        for (int y = top; y <= bottom; ++y) {
            for (int x = left; x <= right; ++x) {
                double& here =
                    distance_[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)];
                here = std::min(here, distance_to_line(x, y, from, to));
            }
        }
    }
    double distance(std::size_t pixel) const { return distance_[pixel]; }

  private:
    std::array<double, pixel_count> distance_{};
};

// Nearly normal, of mean 0 and variance 1: the sum of four uniforms (Irwin and Hall 1927) out of
// one random word. Grain of a picture needs no better, and there are millions of pixels.
double grain(Random& random) {
    const std::uint64_t word = random.next();
    double sum = 0;
    for (unsigned part = 0; part < 4; ++part) {
        sum += static_cast<double>((word >> (16 * part)) & 0xFFFFU) * 0x1.0p-16;
    }
    return (sum - 2.0) * std::numbers::sqrt3;
}

void draw_digit(std::size_t digit, Random& random, std::uint8_t* pixels) {
    const std::vector<Glyph>& glyphs = digit_glyphs(digit);
    const Glyph& glyph = glyphs[static_cast<std::size_t>(random.below(glyphs.size()))];
    const Hand hand(random);
    const double half_width = random.uniform(0.65, 1.7);
    constexpr double shake = 0.035;
    Paper paper;
    for (Stroke stroke : glyph) {
        for (StrokePoint& point : stroke.points) {
            point.x += shake * random.normal();
            point.y += shake * random.normal();
        }
        const std::vector<StrokePoint> chain = flatten_stroke(stroke);
        for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
            paper.draw(hand.place(chain[i]), hand.place(chain[i + 1]), half_width + 1.5);
        }
    }
    const double ink = random.uniform(0.55, 1.0);
    const double noise = random.uniform(0.02, 0.12);
    for (std::size_t p = 0; p < pixel_count; ++p) {
        const double covered = std::clamp(half_width + 0.5 - paper.distance(p), 0.0, 1.0);
        const double value = ink * covered + noise * grain(random);
        pixels[p] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
    }
}

Result<void> draw(SplitData& split, const DatasetOptions& options, Split which) {
    split.pixels.resize(static_cast<std::size_t>(split.count) * pixel_count);
    split.labels.resize(static_cast<std::size_t>(split.count));
    for (std::size_t i = 0; i < static_cast<std::size_t>(split.count); ++i) {
        if (options.stop.stop_requested()) {
            return opening_cancelled();
        }
        Random random(options.seed, 2 * i + static_cast<std::uint64_t>(which));
        const auto digit = static_cast<std::size_t>(random.below(10));
        split.labels[i] = static_cast<std::int32_t>(digit);
        draw_digit(digit, random, split.pixels.data() + i * pixel_count);
    }
    return {};
}

}  // namespace

OpenedDataset make_digits(const DatasetOptions& options) {
    auto dataset = std::make_shared<Dataset>();
    dataset->source = fmt::format("drawn by the program, seed {}", options.seed);
    dataset->sample = Shape{1, side, side};
    dataset->classes = 10;
    for (int c = 0; c < 10; ++c) {
        dataset->class_names.push_back(std::to_string(c));
    }
    dataset->train.count = options.train_count > 0 ? options.train_count : default_train;
    dataset->test.count = options.test_count > 0 ? options.test_count : default_test;
    const std::int64_t larger = std::max(dataset->train.count, dataset->test.count);
    if (larger > largest_count) {
        return make_error(ErrorCode::invalid_argument,
                          "Generated digits: at most {} samples a split, not {}.",
                          format_count(largest_count), format_count(larger));
    }
    for (const Split which : {Split::train, Split::test}) {
        SplitData& split = which == Split::train ? dataset->train : dataset->test;
        if (Result<void> drawn = draw(split, options, which); !drawn) {
            return make_error(std::move(drawn.error()));
        }
    }
    return dataset;
}

}  // namespace trainscope
