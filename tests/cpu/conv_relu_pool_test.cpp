// SPDX-License-Identifier: GPL-3.0-or-later
// Fused convolution, ReLU and pooling against the three operators written out in double.
#include "engine/ops/conv_relu_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/ops/kernel_variant.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope {
namespace {

using testing::Doubles;
using testing::Floats;
using testing::strict_relative_error;

std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

ConvReluPool::Shape block(const Conv2d::Shape& conv) {
    ConvReluPool::Shape shape;
    shape.conv = conv;
    shape.pool = {.n = conv.n, .c = conv.k, .h = conv.out_h(), .w = conv.out_w()};
    return shape;
}

Floats random_floats(std::int64_t count, std::uint64_t stream) {
    return testing::seeded_floats(count, 3, stream);
}

// Calls body(x index, weight index) for every multiply of output (n, k, oy, ox).
template <class Body>
void for_each_product(const Conv2d::Shape& s, std::int64_t n, std::int64_t k, std::int64_t oy,
                      std::int64_t ox, const Body& body) {
    for (std::int64_t c = 0; c < s.c; ++c) {
        for (std::int64_t r = 0; r < s.r; ++r) {
            for (std::int64_t q = 0; q < s.s; ++q) {
                const std::int64_t y = oy + r - s.pad_h;
                const std::int64_t x = ox + q - s.pad_w;
                if (y >= 0 && y < s.h && x >= 0 && x < s.w) {
                    body(at(((n * s.c + c) * s.h + y) * s.w + x),
                         at(((k * s.c + c) * s.r + r) * s.s + q));
                }
            }
        }
    }
}

struct Problem {
    ConvReluPool::Shape shape;
    Floats x, weight, bias, dy;

    explicit Problem(const Conv2d::Shape& conv)
        : shape(block(conv)),
          x(random_floats(conv.input_elements(), 1)),
          weight(random_floats(conv.weight_elements(), 2)),
          bias(random_floats(conv.k, 3)),
          dy(random_floats(shape.pool.output_elements(), 4)) {}
};

struct Expected {
    Doubles y;
    std::vector<int> place;  // -1: nothing gets through
    Doubles dx, dweight, dbias;
};

// One pooled value and where its gradient goes.
void expect_window(const Problem& p, std::int64_t n, std::int64_t k, std::int64_t py,
                   std::int64_t px, std::size_t out, Expected& e) {
    const Conv2d::Shape& s = p.shape.conv;
    double best = 0;
    int place = -1;
    for (int q = 0; q < 4; ++q) {
        double sum = s.bias ? p.bias[at(k)] : 0.0F;
        for_each_product(
            s, n, k, 2 * py + q / 2, 2 * px + q % 2,
            [&](std::size_t i, std::size_t j) { sum += double{p.x[i]} * double{p.weight[j]}; });
        if (sum > best) {
            best = sum;
            place = q;
        }
    }
    e.y[out] = best;
    e.place[out] = place;
    if (place >= 0) {
        const double g = p.dy[out];
        e.dbias[at(k)] += g;
        for_each_product(s, n, k, 2 * py + place / 2, 2 * px + place % 2,
                         [&](std::size_t i, std::size_t j) {
                             e.dx[i] += g * double{p.weight[j]};
                             e.dweight[j] += g * double{p.x[i]};
                         });
    }
}

Expected expected_of(const Problem& p) {
    const MaxPool2d::Shape& pool = p.shape.pool;
    Expected e{Doubles(p.dy.size()), std::vector<int>(p.dy.size()), Doubles(p.x.size()),
               Doubles(p.weight.size()), Doubles(p.bias.size())};
    std::size_t out = 0;
    for (std::int64_t n = 0; n < pool.n; ++n) {
        for (std::int64_t k = 0; k < pool.c; ++k) {
            for (std::int64_t y = 0; y < pool.out_h(); ++y) {
                for (std::int64_t x = 0; x < pool.out_w(); ++x) {
                    expect_window(p, n, k, y, x, out++, e);
                }
            }
        }
    }
    return e;
}

struct Got {
    Floats y, dx, dweight, dbias;
    std::vector<std::uint8_t> index;
};

Got run(const KernelVariant<ConvReluPool>& variant, const Problem& p, int threads,
        bool accumulate = false, bool want_dx = true) {
    const Conv2d::Shape& s = p.shape.conv;
    const KernelContext context{.threads = threads};
    const auto kernel = variant.make(p.shape, context);
    const auto bytes = static_cast<std::size_t>(variant.workspace_bytes(p.shape, context));
    // What a workspace holds before a call is anything.
    Floats workspace(bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    Got got{Floats(p.dy.size()), Floats(p.x.size(), 7), Floats(p.weight.size(), 1),
            Floats(p.bias.size(), 1), std::vector<std::uint8_t>(p.dy.size())};
    kernel->forward({.x = p.x.data(),
                     .weight = p.weight.data(),
                     .bias = s.bias ? p.bias.data() : nullptr,
                     .y = got.y.data(),
                     .index = got.index.data(),
                     .workspace = workspace.data()});
    std::fill(workspace.begin(), workspace.end(), std::numeric_limits<float>::quiet_NaN());
    kernel->backward({.x = p.x.data(),
                      .weight = p.weight.data(),
                      .index = got.index.data(),
                      .dy = p.dy.data(),
                      .dx = want_dx ? got.dx.data() : nullptr,
                      .dweight = got.dweight.data(),
                      .dbias = s.bias ? got.dbias.data() : nullptr,
                      .accumulate = accumulate,
                      .workspace = workspace.data()});
    return got;
}

void expect_close(const Problem& p, const Expected& e, const Got& got) {
    EXPECT_LT(strict_relative_error(got.y, e.y), 1e-5);
    for (std::size_t i = 0; i < e.place.size(); ++i) {
        const int place = got.index[i] == ConvReluPool::inactive ? -1 : got.index[i];
        ASSERT_EQ(place, e.place[i]) << "pooled value " << i;
    }
    EXPECT_LT(strict_relative_error(got.dweight, e.dweight), 1e-5);
    EXPECT_LT(strict_relative_error(got.dx, e.dx), 1e-5);
    if (p.shape.conv.bias) {
        EXPECT_LT(strict_relative_error(got.dbias, e.dbias), 1e-5);
    }
}

std::vector<const KernelVariant<ConvReluPool>*> fused_variants(const ConvReluPool::Shape& shape) {
    std::vector<const KernelVariant<ConvReluPool>*> found;
    for (const KernelVariant<ConvReluPool>& variant : variants_of<ConvReluPool>(DeviceKind::cpu)) {
        if (!variant.refuses(shape) && variant.make(shape, {.threads = 1}) != nullptr) {
            found.push_back(&variant);
        }
    }
    return found;
}

const Conv2d::Shape mnist{
    .n = 3, .c = 1, .h = 28, .w = 28, .k = 16, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};

std::vector<Conv2d::Shape> shapes() {
    return {
        mnist,
        {.n = 2, .c = 3, .h = 32, .w = 32, .k = 16, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
        {.n = 1, .c = 1, .h = 2, .w = 2, .k = 1, .r = 1, .s = 1},
        {.n = 2, .c = 2, .h = 7, .w = 5, .k = 3, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
        {.n = 2, .c = 1, .h = 29, .w = 67, .k = 5, .r = 3, .s = 3},
        {.n = 5, .c = 3, .h = 13, .w = 35, .k = 2, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2},
        {.n = 1, .c = 2, .h = 17, .w = 33, .k = 7, .r = 7, .s = 7, .pad_h = 3, .pad_w = 3},
        {.n = 1, .c = 2, .h = 11, .w = 19, .k = 3, .r = 3, .s = 1, .pad_h = 3, .pad_w = 2},
        {.n = 3, .c = 4, .h = 9, .w = 31, .k = 17, .r = 2, .s = 4, .pad_w = 3, .bias = false},
        {.n = 1, .c = 1, .h = 12, .w = 40, .k = 1, .r = 9, .s = 11, .pad_h = 1, .pad_w = 7},
    };
}

TEST(ConvReluPoolTest, ForwardAndBackwardFollowTheThreeOperators) {
    for (const Conv2d::Shape& conv : shapes()) {
        const Problem p(conv);
        const Expected expected = expected_of(p);
        ASSERT_FALSE(fused_variants(p.shape).empty());
        for (const auto* variant : fused_variants(p.shape)) {
            for (const int threads : {1, 2, 5}) {
                SCOPED_TRACE(variant->name + " " + std::to_string(conv.h) + "x" +
                             std::to_string(conv.w) + " on " + std::to_string(threads));
                expect_close(p, expected, run(*variant, p, threads));
            }
        }
    }
}

TEST(ConvReluPoolTest, AccumulatingAddsToTheGradientsThatAreThere) {
    const Problem p(mnist);
    for (const auto* variant : fused_variants(p.shape)) {
        const Got fresh = run(*variant, p, 2);
        const Got added = run(*variant, p, 2, true);
        for (std::size_t i = 0; i < p.weight.size(); ++i) {
            EXPECT_NEAR(added.dweight[i], fresh.dweight[i] + 1, 1e-4);
        }
        for (std::size_t i = 0; i < p.bias.size(); ++i) {
            EXPECT_NEAR(added.dbias[i], fresh.dbias[i] + 1, 1e-4);
        }
    }
}

TEST(ConvReluPoolTest, TheInputsGradientIsLeftOutWhenNobodyWantsIt) {
    const Problem p(mnist);
    for (const auto* variant : fused_variants(p.shape)) {
        const Got with = run(*variant, p, 2);
        const Got without = run(*variant, p, 2, false, false);
        EXPECT_EQ(without.dx, Floats(p.x.size(), 7));
        EXPECT_EQ(without.dweight, with.dweight);
    }
}

TEST(ConvReluPoolTest, AWindowWithoutAPositiveValueIsZeroAndGetsNoGradient) {
    Problem p(mnist);
    std::fill(p.weight.begin(), p.weight.end(), 0.0F);
    std::fill(p.bias.begin(), p.bias.end(), 0.0F);
    for (const auto* variant : fused_variants(p.shape)) {
        const Got got = run(*variant, p, 1);
        EXPECT_EQ(got.y, Floats(p.dy.size(), 0));
        EXPECT_EQ(got.index, std::vector<std::uint8_t>(p.dy.size(), ConvReluPool::inactive));
        EXPECT_EQ(got.dweight, Floats(p.weight.size(), 0));
        EXPECT_EQ(got.dbias, Floats(p.bias.size(), 0));
    }
}

TEST(ConvReluPoolTest, OnTiesTheFirstInRowMajorOrderWins) {
    Problem p(mnist);
    std::fill(p.weight.begin(), p.weight.end(), 0.0F);
    std::fill(p.bias.begin(), p.bias.end(), 2.0F);
    for (const auto* variant : fused_variants(p.shape)) {
        const Got got = run(*variant, p, 1);
        EXPECT_EQ(got.y, Floats(p.dy.size(), 2));
        EXPECT_EQ(got.index, std::vector<std::uint8_t>(p.dy.size(), 0));
    }
}

TEST(ConvReluPoolTest, ANanReachesTheWindowsThatSeeItAndNoOther) {
    Problem p(mnist);
    // Sample 1, row 9, column 12: convolution outputs 8..10 x 11..13, pooled 4..5 x 5..6. In its
    // first window (rows 8 and 9, columns 10 and 11) the first NaN is at place 1.
    p.x[(28 + 9) * 28 + 12] = std::numeric_limits<float>::quiet_NaN();
    for (const auto* variant : fused_variants(p.shape)) {
        const Got got = run(*variant, p, 1);
        for (std::size_t i = 0; i < got.y.size(); ++i) {
            const std::size_t n = i / (16 * 14 * 14);
            const std::size_t y = i / 14 % 14;
            const std::size_t x = i % 14;
            const bool sees = n == 1 && y >= 4 && y <= 5 && x >= 5 && x <= 6;
            ASSERT_EQ(std::isnan(got.y[i]), sees) << i;
            ASSERT_TRUE(!sees || got.index[i] == (x == 5 ? 1 : 0)) << i;
        }
        EXPECT_TRUE(std::isnan(got.dweight[4]));
    }
}

TEST(ConvReluPoolTest, TheSameCallGivesTheSameBits) {
    const Problem p(mnist);
    for (const auto* variant : fused_variants(p.shape)) {
        const Got first = run(*variant, p, 2);
        const Got second = run(*variant, p, 2);
        EXPECT_EQ(first.y, second.y);
        EXPECT_EQ(first.dweight, second.dweight);
        EXPECT_EQ(first.dx, second.dx);
    }
}

TEST(ConvReluPoolTest, FusedDirectRefusesWhatItIsNotMadeForInWords) {
    const auto reason = [](const ConvReluPool::Shape& shape) -> std::string {
        const auto chosen = choose_variant<ConvReluPool>(DeviceKind::cpu, "fused_direct", shape);
        return chosen ? "" : chosen.error().message;
    };
    ConvReluPool::Shape shape = block(mnist);
    EXPECT_EQ(reason(shape), "");
    shape.pool.kernel_w = 3;
    EXPECT_NE(reason(shape).find("2x2"), std::string::npos);
    Conv2d::Shape conv = mnist;
    conv.stride_h = 2;
    EXPECT_NE(reason(block(conv)).find("stride 1"), std::string::npos);
    conv = mnist;
    conv.c = conv.groups = 2;
    EXPECT_NE(reason(block(conv)).find("groups"), std::string::npos);
}

TEST(ConvReluPoolTest, SeparateMakesNoKernelAndIsChosenWhereNothingElseFits) {
    Conv2d::Shape conv = mnist;
    conv.stride_h = conv.stride_w = 2;
    const auto chosen = choose_variant<ConvReluPool>(DeviceKind::cpu, "auto", block(conv));
    ASSERT_TRUE(chosen);
    EXPECT_EQ((*chosen)->name, "separate");
    EXPECT_EQ((*chosen)->make(block(conv), {}), nullptr);
}

}  // namespace
}  // namespace trainscope
