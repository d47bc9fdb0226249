// SPDX-License-Identifier: GPL-3.0-or-later
// Each rung of convolution in the emulated device's memory, where any access outside, race or value
// that was never written is found; long sums, NaN, and what a rung refuses.
#include "engine/ops/conv2d.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "engine/cuda/runtime.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/reference/conv2d.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

using ::testing::HasSubstr;

std::vector<double> doubles(const Floats& values) {
    return {values.begin(), values.end()};
}

DeviceArray<float> unwritten(std::int64_t count) {
    return DeviceArray<float>(static_cast<std::size_t>(count));
}

class ConvolutionOnDeviceTest : public ::testing::TestWithParam<std::string> {
  protected:
    ~ConvolutionOnDeviceTest() override {
        workspace_.reset();
        runtime_.reset();
        reset_emulated_device();
    }
    const KernelVariant<Conv2d>& variant() const {
        for (const KernelVariant<Conv2d>& one : variants_of<Conv2d>(DeviceKind::emulated)) {
            if (one.name == GetParam()) {
                return one;
            }
        }
        throw std::out_of_range(GetParam());
    }
    KernelContext context() const { return {.threads = 1, .runtime = runtime_.get()}; }
    void* workspace(const Conv2d::Shape& shape) {
        const std::int64_t bytes = variant().workspace_bytes(shape, context());
        workspace_.emplace(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
        return workspace_->data();
    }
    static void expect_no_faults() {
        for (const emulation::Fault& fault : emulation::take_faults()) {
            ADD_FAILURE() << name_of(fault.kind) << ": " << fault.message;
        }
        EXPECT_EQ(cuda::first_error(), "");
    }
    void solve(const Conv2d::Shape& shape);

    std::unique_ptr<DeviceRuntime> runtime_ = cuda::open_device(0).value();
    std::optional<DeviceArray<std::byte>> workspace_;
};

// Every pass, in memory of which nothing was written.
void ConvolutionOnDeviceTest::solve(const Conv2d::Shape& s) {
    const Floats x = seeded_floats(s.input_elements(), 22, 1);
    const Floats weight = seeded_floats(s.weight_elements(), 22, 2);
    const Floats bias = seeded_floats(s.k, 22, 3);
    const Floats dy = seeded_floats(s.output_elements(), 22, 4);
    const DeviceArray<float> d_x(x);
    const DeviceArray<float> d_weight(weight);
    const DeviceArray<float> d_bias(bias);
    const DeviceArray<float> d_dy(dy);
    const DeviceArray<float> y = unwritten(s.output_elements());
    const DeviceArray<float> dx = unwritten(s.input_elements());
    const DeviceArray<float> dweight = unwritten(s.weight_elements());
    const DeviceArray<float> dbias = unwritten(s.k);
    const auto rung = variant().make(s, context());
    rung->forward({.x = d_x.data(),
                   .weight = d_weight.data(),
                   .bias = d_bias.data(),
                   .y = y.data(),
                   .workspace = workspace(s)});
    rung->backward({.x = d_x.data(),
                    .weight = d_weight.data(),
                    .dy = d_dy.data(),
                    .dx = dx.data(),
                    .dweight = dweight.data(),
                    .dbias = dbias.data(),
                    .accumulate = false,
                    .workspace = workspace(s)});
    expect_no_faults();
    const auto gradients = reference::conv2d_backward(s, doubles(x), doubles(weight), doubles(dy));
    constexpr double tolerance = 1e-5;
    EXPECT_TRUE(is_close("y", y.values(),
                         reference::conv2d(s, doubles(x), doubles(weight), doubles(bias)),
                         tolerance));
    EXPECT_TRUE(is_close("dx", dx.values(), gradients.dx, tolerance));
    EXPECT_TRUE(is_close("dweight", dweight.values(), gradients.dweight, tolerance));
    EXPECT_TRUE(is_close("dbias", dbias.values(), gradients.dbias, tolerance));
}

TEST_P(ConvolutionOnDeviceTest, TouchesNothingButItsTensors) {
    int solved = 0;
    for (const Conv2d::Shape& shape : std::vector<Conv2d::Shape>{
             // More filters than a tile, an odd plane.
             {.n = 2, .c = 3, .h = 7, .w = 9, .k = 66, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
             // Padding that no input of dx meets, and rows that no window does.
             {.n = 1, .c = 2, .h = 5, .w = 4, .k = 3, .r = 3, .s = 3, .pad_h = 3, .pad_w = 2},
             {.n = 2, .c = 4, .h = 8, .w = 9, .k = 6, .r = 2, .s = 3, .stride_h = 3, .groups = 2},
             // A channel a group, two filters each.
             {.n = 2, .c = 3, .h = 6, .w = 5, .k = 6, .r = 3, .s = 3, .pad_h = 1, .groups = 3},
             // More than nine taps.
             {.n = 1, .c = 2, .h = 9, .w = 8, .k = 2, .r = 4, .s = 5, .pad_w = 2, .groups = 2},
         }) {
        if (!variant().refuses(shape)) {
            solve(shape);
            ++solved;
        }
    }
    EXPECT_GE(solved, 2);
}

// 24,576 equal terms, whose rounding errors add up instead of cancelling: what numerics.md allows
// a short sum. A running float32 sum is 20 times over it.
TEST_P(ConvolutionOnDeviceTest, SumsManyTermsClosely) {
    const Conv2d::Shape s{
        .n = 2, .c = 1, .h = 96, .w = 128, .k = 1, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
    const DeviceArray<float> x(Floats(static_cast<std::size_t>(s.input_elements()), 0.1F));
    const DeviceArray<float> dy(Floats(static_cast<std::size_t>(s.output_elements()), 0.3F));
    const DeviceArray<float> weight(Floats(9, 1.0F));
    const DeviceArray<float> dweight = unwritten(9);
    const DeviceArray<float> dbias = unwritten(1);
    variant()
        .make(s, context())
        ->backward({.x = x.data(),
                    .weight = weight.data(),
                    .dy = dy.data(),
                    .dx = nullptr,
                    .dweight = dweight.data(),
                    .dbias = dbias.data(),
                    .accumulate = false,
                    .workspace = workspace(s)});
    expect_no_faults();
    constexpr double tolerance = 1e-5;
    const auto of_dy = static_cast<double>(0.3F);
    const double of_bias = static_cast<double>(s.output_elements()) * of_dy;
    const double of_weight = of_bias * static_cast<double>(0.1F);  // of the filter's centre
    EXPECT_NEAR(dweight.values()[4], of_weight, of_weight * tolerance);
    EXPECT_NEAR(dbias.values()[0], of_bias, of_bias * tolerance);
}

TEST_P(ConvolutionOnDeviceTest, ANaNSpoilsItsSampleAlone) {
    const Conv2d::Shape s{
        .n = 2, .c = 1, .h = 4, .w = 4, .k = 1, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
    Floats values(32, 1.0F);
    values[16 + 5] = NAN;
    const DeviceArray<float> x(values);
    const DeviceArray<float> weight(Floats(9, 0.0F));  // 0 * NaN is NaN all the same
    const DeviceArray<float> bias(Floats(1, 0.0F));
    const DeviceArray<float> y = unwritten(32);
    variant()
        .make(s, context())
        ->forward({.x = x.data(),
                   .weight = weight.data(),
                   .bias = bias.data(),
                   .y = y.data(),
                   .workspace = workspace(s)});
    const Floats got = y.values();
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_FALSE(std::isnan(got[i])) << i;
    }
    // The windows that hold row 1, column 1.
    for (const std::size_t i : {0U, 1U, 2U, 4U, 5U, 6U, 8U, 9U, 10U}) {
        EXPECT_TRUE(std::isnan(got[16 + i])) << i;
    }
}

TEST_P(ConvolutionOnDeviceTest, RefusesWhatItsIndicesCannotCount) {
    const auto reason = variant().refuses({.n = 1, .c = 64, .h = 4096, .w = 4096, .k = 1});
    ASSERT_TRUE(reason.has_value());
    EXPECT_THAT(*reason, HasSubstr("1073741824 values"));
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const KernelVariant<Conv2d>& variant : variants_of<Conv2d>(DeviceKind::emulated)) {
        all.push_back(variant.name);
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(All, ConvolutionOnDeviceTest, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

std::string refusal(const char* variant, const Conv2d::Shape& shape) {
    return choose_variant<Conv2d>(DeviceKind::emulated, variant, shape).error().message;
}

TEST(ConvolutionOnDevice, ADepthwiseRungSaysThatItWantsOneChannelAGroup) {
    EXPECT_THAT(refusal("direct_depthwise", {.c = 6, .h = 8, .w = 8, .k = 6, .groups = 2}),
                HasSubstr("it is for groups of one channel; these have 3"));
}
TEST(ConvolutionOnDevice, WinogradSaysWhichOfItsLimitsAShapePasses) {
    EXPECT_THAT(refusal("winograd_2x3", {.h = 8, .w = 8, .r = 5, .s = 5}),
                HasSubstr("filters of 3 x 3; these have 5 x 5"));
    EXPECT_THAT(refusal("winograd_2x3", {.h = 8, .w = 8, .r = 3, .s = 3, .stride_h = 2}),
                HasSubstr("stride 1; this is 2 x 1"));
    EXPECT_THAT(
        refusal("winograd_2x3", {.c = 2, .h = 8, .w = 8, .k = 2, .r = 3, .s = 3, .groups = 2}),
        HasSubstr("one group; these are 2"));
}
TEST(ConvolutionOnDevice, SpectraSayThatTheyTakeNoStrides) {
    EXPECT_THAT(refusal("fft", {.h = 8, .w = 8, .r = 3, .s = 3, .stride_w = 2}),
                HasSubstr("stride 1, for a product of spectra makes the results of all positions; "
                          "this is 1 x 2"));
}
// Filters whose spectra are as large as a plane's.
TEST(ConvolutionOnDevice, SpectraSayThatFiltersAreTooManyForThem) {
    EXPECT_THAT(refusal("fft", {.c = 1024, .h = 32, .w = 32, .k = 1024, .r = 3, .s = 3}),
                HasSubstr("the spectra of one sample or of the filters have 1140850688 values"));
}
TEST(ConvolutionOnDevice, DepthwiseLayersGetTheirOwnRungByDefault) {
    const auto chosen =
        choose_variant<Conv2d>(DeviceKind::emulated, "auto",
                               {.c = 4, .h = 8, .w = 8, .k = 4, .r = 3, .s = 3, .groups = 4});
    EXPECT_EQ(chosen.value()->name, "direct_depthwise");
}

}  // namespace
}  // namespace trainscope::testing
