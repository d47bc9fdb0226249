// SPDX-License-Identifier: GPL-3.0-or-later
// The fused convolution in the emulated device's memory, where any access outside, race or value
// that was never written is found, beside the CPU's kernel of the same name.
#include "engine/ops/conv_relu_pool.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "engine/cuda/runtime.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Pooled by 2x2.
ConvReluPool::Shape block(const Conv2d::Shape& conv) {
    return {conv, {.n = conv.n, .c = conv.k, .h = conv.out_h(), .w = conv.out_w()}};
}

const KernelVariant<ConvReluPool>& fused_on(DeviceKind device) {
    for (const KernelVariant<ConvReluPool>& variant : variants_of<ConvReluPool>(device)) {
        if (variant.name == "fused_direct") {
            return variant;
        }
    }
    throw std::out_of_range("fused_direct");
}

struct Inputs {
    ConvReluPool::Shape shape;
    Floats x, weight, bias, dy;

    explicit Inputs(const Conv2d::Shape& conv)
        : shape(block(conv)),
          x(seeded_floats(conv.input_elements(), 23, 1)),
          weight(seeded_floats(conv.weight_elements(), 23, 2)),
          bias(seeded_floats(conv.k, 23, 3)),
          dy(seeded_floats(shape.pool.output_elements(), 23, 4)) {}
};

// An array that a kernel on the host or on the device uses.
template <class T>
class HostArray {
  public:
    explicit HostArray(std::size_t count) : values_(count) {}
    explicit HostArray(const std::vector<T>& values) : values_(values) {}
    T* data() { return values_.data(); }
    const std::vector<T>& values() const { return values_; }

  private:
    std::vector<T> values_;
};

struct Results {
    Floats y, dx, dweight, dbias;
    std::vector<std::uint8_t> index;
};

template <template <class> class Array>
Results run(const KernelVariant<ConvReluPool>& variant, const KernelContext& context,
            const Inputs& in) {
    const auto kernel = variant.make(in.shape, context);
    Array<std::byte> workspace(static_cast<std::size_t>(
        std::max<std::int64_t>(variant.workspace_bytes(in.shape, context), 1)));
    Array<float> x(in.x), weight(in.weight), bias(in.bias), dy(in.dy);
    Array<float> y(in.dy.size()), dx(in.x.size()), dweight(in.weight.size()), dbias(in.bias.size());
    Array<std::uint8_t> index(in.dy.size());
    const bool has_bias = in.shape.conv.bias;
    kernel->forward({.x = x.data(),
                     .weight = weight.data(),
                     .bias = has_bias ? bias.data() : nullptr,
                     .y = y.data(),
                     .index = index.data(),
                     .workspace = workspace.data()});
    kernel->backward({.x = x.data(),
                      .weight = weight.data(),
                      .index = index.data(),
                      .dy = dy.data(),
                      .dx = dx.data(),
                      .dweight = dweight.data(),
                      .dbias = has_bias ? dbias.data() : nullptr,
                      .accumulate = false,
                      .workspace = workspace.data()});
    return {y.values(), dx.values(), dweight.values(), has_bias ? dbias.values() : Floats{},
            index.values()};
}

class FusedConvolutionOnDevice : public ::testing::Test {
  protected:
    ~FusedConvolutionOnDevice() override {
        runtime_.reset();
        reset_emulated_device();
    }
    Results on_device(const Inputs& in) const {
        Results results = run<DeviceArray>(fused_on(DeviceKind::emulated),
                                           {.threads = 1, .runtime = runtime_.get()}, in);
        EXPECT_THAT(emulation::take_faults(), IsEmpty());
        return results;
    }
    std::unique_ptr<DeviceRuntime> runtime_ = cuda::open_device(0).value();
};

Doubles doubles(const Floats& values) {
    return {values.begin(), values.end()};
}

TEST_F(FusedConvolutionOnDevice, GivesWhatTheCpusDoesAndTouchesNothingButItsTensors) {
    for (const Conv2d::Shape& conv : std::vector<Conv2d::Shape>{
             // More channels than are in shared memory at a time, more filters than a block makes,
             // an odd plane.
             {.n = 2, .c = 9, .h = 9, .w = 11, .k = 35, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
             // Planes of several tiles, both ways.
             {.n = 1, .c = 1, .h = 35, .w = 68, .k = 2, .r = 3, .s = 3},
             // Filters of no one size, more taps than a block makes, padding nobody meets.
             {.n = 2, .c = 3, .h = 8, .w = 7, .k = 3, .r = 5, .s = 6, .pad_h = 1, .pad_w = 4},
             // Several parts of the sums; one window a plane, and one column that has none.
             {.n = 600, .c = 1, .h = 2, .w = 3, .k = 1, .r = 1, .s = 1, .bias = false},
         }) {
        SCOPED_TRACE(conv.h);
        const Inputs in(conv);
        const Results got = on_device(in);
        const Results cpu = run<HostArray>(fused_on(DeviceKind::cpu), {.threads = 1}, in);
        EXPECT_EQ(got.index, cpu.index);
        constexpr double tolerance = 1e-5;
        EXPECT_TRUE(is_close("y", got.y, doubles(cpu.y), tolerance));
        EXPECT_TRUE(is_close("dx", got.dx, doubles(cpu.dx), tolerance));
        EXPECT_TRUE(is_close("dweight", got.dweight, doubles(cpu.dweight), tolerance));
        EXPECT_TRUE(is_close("dbias", got.dbias, doubles(cpu.dbias), tolerance));
    }
}

const Conv2d::Shape small{
    .n = 2, .c = 1, .h = 8, .w = 8, .k = 3, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};

TEST_F(FusedConvolutionOnDevice, AWindowWithoutAPositiveValueIsZeroAndGetsNoGradient) {
    Inputs in(small);
    in.weight.assign(in.weight.size(), 0.0F);
    in.bias.assign(in.bias.size(), 0.0F);
    const Results got = on_device(in);
    EXPECT_EQ(got.y, Floats(in.dy.size(), 0));
    EXPECT_EQ(got.index, std::vector<std::uint8_t>(in.dy.size(), ConvReluPool::inactive));
    EXPECT_EQ(got.dweight, Floats(in.weight.size(), 0));
    EXPECT_EQ(got.dx, Floats(in.x.size(), 0));
}

TEST_F(FusedConvolutionOnDevice, OnTiesTheFirstInRowMajorOrderWins) {
    Inputs in(small);
    in.weight.assign(in.weight.size(), 0.0F);
    in.bias.assign(in.bias.size(), 2.0F);
    const Results got = on_device(in);
    EXPECT_EQ(got.y, Floats(in.dy.size(), 2));
    EXPECT_EQ(got.index, std::vector<std::uint8_t>(in.dy.size(), 0));
}

TEST_F(FusedConvolutionOnDevice, ANaNReachesTheWindowsThatSeeItAndNoOther) {
    Inputs in(small);
    // Sample 1, row 3, column 4: outputs of rows 2 to 4 and columns 3 to 5, so windows of rows 1
    // and 2 and columns 1 and 2. In window (1, 1) the first NaN is at place 1.
    in.x[64 + 3 * 8 + 4] = NAN;
    const Results got = on_device(in);
    for (std::size_t i = 0; i < got.y.size(); ++i) {
        const std::size_t y = i / 4 % 4;
        const std::size_t x = i % 4;
        const bool sees = i >= 3 * 16 && (y == 1 || y == 2) && (x == 1 || x == 2);
        ASSERT_EQ(std::isnan(got.y[i]), sees) << i;
        ASSERT_TRUE(!sees || got.index[i] == (x == 1 ? 1 : 0)) << i;
    }
    // The taps through which those windows' winners see it.
    for (const std::size_t tap : {1U, 2U, 7U, 8U}) {
        EXPECT_TRUE(std::isnan(got.dweight[tap])) << tap;
    }
}

TEST_F(FusedConvolutionOnDevice, SumsManyTermsClosely) {
    // 24,576 windows with equal gradients: a running float32 sum is 2e-4 off.
    Inputs in({.n = 2, .c = 1, .h = 192, .w = 256, .k = 1, .r = 1, .s = 1});
    in.x.assign(in.x.size(), 0.1F);
    in.weight.assign(1, 1.0F);
    in.bias.assign(1, 1.0F);
    in.dy.assign(in.dy.size(), 0.3F);
    const Results got = on_device(in);
    const double of_bias = static_cast<double>(in.dy.size()) * static_cast<double>(0.3F);
    EXPECT_NEAR(got.dbias[0] / of_bias, 1, 1e-5);
    EXPECT_NEAR(got.dweight[0] / (of_bias * static_cast<double>(0.1F)), 1, 1e-5);
}

TEST(FusedConvolution, IsChosenForFewChannelsAndSaysWhatItRefuses) {
    const auto chosen = [](const char* name, const Conv2d::Shape& conv) {
        const auto found = choose_variant<ConvReluPool>(DeviceKind::emulated, name, block(conv));
        return found ? found.value()->name : found.error().message;
    };
    Conv2d::Shape conv = small;
    EXPECT_EQ(chosen("auto", conv), "fused_direct");
    conv.c = 64;
    EXPECT_EQ(chosen("auto", conv), "separate");
    EXPECT_EQ(chosen("fused_direct", conv), "fused_direct");
    conv.stride_h = 2;
    EXPECT_THAT(chosen("fused_direct", conv), HasSubstr("stride 1"));
    conv = {.n = 1, .c = 1, .h = 128, .w = 128, .k = 1, .r = 90, .s = 90};
    EXPECT_THAT(chosen("fused_direct", conv),
                HasSubstr("a filter of 90 x 90 taps does not fit into 48 KiB of shared memory"));
}

}  // namespace
}  // namespace trainscope::testing
