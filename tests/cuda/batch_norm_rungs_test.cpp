// SPDX-License-Identifier: GPL-3.0-or-later
// The rungs of batch norm on the emulated device, where they part: values far from zero, one value
// far out, tensors off the vectors' borders. And what the faulty one does wrong, for which it is
// refused.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "engine/cuda/runtime.h"
#include "engine/ops/batch_norm.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/reference/batch_norm.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/knob_checks.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/guarded.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr DeviceKind emulated = DeviceKind::emulated;

class BatchNormRungs : public ::testing::Test {
  protected:
    ~BatchNormRungs() override { reset_emulated_device(); }

    static const KernelVariant<BatchNorm>& variant(std::string_view name) {
        for (const KernelVariant<BatchNorm>& variant : variants_of<BatchNorm>(emulated)) {
            if (variant.name == name) {
                return variant;
            }
        }
        throw std::out_of_range(std::string(name));
    }
    static std::vector<std::string> trainable() {
        std::vector<std::string> names;
        for (const KernelVariant<BatchNorm>& variant : variants_of<BatchNorm>(emulated)) {
            if (variant.trainable) {
                names.push_back(variant.name);
            }
        }
        return names;
    }

    std::unique_ptr<DeviceRuntime> runtime_ = cuda::open_device(0).value();
};

// What a variant makes of x with gamma 1 and beta 0, its tensors `shift` floats off their borders.
struct Normalized {
    Floats y;
    double variance = 0;  // of the first channel
};
Normalized normalized(const KernelVariant<BatchNorm>& variant, DeviceRuntime* runtime,
                      const BatchNorm::Shape& shape, const Floats& x, std::size_t shift = 0) {
    const KernelContext context{.runtime = runtime};
    const auto kernel = variant.make(shape, context);
    const auto channels = static_cast<std::size_t>(shape.c);
    Guarded<float> from(shift + x.size());
    std::copy(x.begin(), x.end(), from.data() + shift);
    Guarded<float> to(shift + x.size());
    Guarded<float> mean(channels);
    Guarded<float> invstd(channels);
    Floats ones(channels, 1);
    Floats zeros(channels, 0);
    Floats running_mean(channels, 0);
    Floats running_var(channels, 1);
    Guarded<std::byte> workspace(static_cast<std::size_t>(variant.workspace_bytes(shape, context)));
    kernel->forward({.x = from.data() + shift,
                     .gamma = ones.data(),
                     .beta = zeros.data(),
                     .y = to.data() + shift,
                     .running_mean = running_mean.data(),
                     .running_var = running_var.data(),
                     .saved_mean = mean.data(),
                     .saved_invstd = invstd.data(),
                     .workspace = workspace.data()});
    const Floats all = to.copy();
    return {{all.begin() + static_cast<std::ptrdiff_t>(shift), all.end()},
            std::pow(static_cast<double>(invstd.data()[0]), -2) - static_cast<double>(shape.eps)};
}

reference::BatchNormResult expected(const BatchNorm::Shape& shape, const Floats& x) {
    const auto channels = static_cast<std::size_t>(shape.c);
    const Doubles zeros(channels, 0);
    const Doubles ones(channels, 1);
    return reference::batch_norm(shape, static_cast<double>(shape.eps), 0.1, {x.begin(), x.end()},
                                 ones, zeros, {zeros, ones});
}
double error_of(const Normalized& got, const reference::BatchNormResult& expected) {
    return relative_l2_error(std::span<const float>(got.y), std::span<const double>(expected.y));
}

// One sample, so that the faulty rung's is batch norm as well.
constexpr BatchNorm::Shape one_sample{.n = 1, .c = 2, .h = 64, .w = 64};

TEST_F(BatchNormRungs, TheFaultyOneIsNearlyRightAroundZero) {
    const Floats x = seeded_floats(one_sample.elements(), 1, 1, 0, 1);
    EXPECT_LT(error_of(normalized(variant("textbook_faulty"), runtime_.get(), one_sample, x),
                       expected(one_sample, x)),
              1e-4);
    EXPECT_THAT(emulation::take_faults(), ::testing::IsEmpty());
}

TEST_F(BatchNormRungs, TheFaultyOneAloneLosesTheVarianceAThousandDeviationsFromZero) {
    const Floats x = seeded_floats(one_sample.elements(), 1, 1, 1000, 1);
    const auto right = expected(one_sample, x);
    const auto error = [&](std::string_view name) {
        const double found =
            error_of(normalized(variant(name), runtime_.get(), one_sample, x), right);
        RecordProperty(std::string(name), fmt::format("{:.2g}", found));
        return found;
    };
    EXPECT_GT(error("textbook_faulty"), 0.01);
    for (const std::string& name : trainable()) {
        EXPECT_LT(error(name), 1e-6) << name;
    }
}

TEST_F(BatchNormRungs, TheFaultyOneNormalisesEachSampleByItself) {
    const BatchNorm::Shape two_samples{.n = 2, .c = 1, .h = 16, .w = 16};
    Floats x = seeded_floats(two_samples.elements(), 1, 1, 0, 1);
    for (std::size_t i = 256; i < x.size(); ++i) {
        x[i] += 3;
    }
    const auto right = expected(two_samples, x);
    EXPECT_GT(
        error_of(normalized(variant("textbook_faulty"), runtime_.get(), two_samples, x), right),
        0.5);
}

TEST_F(BatchNormRungs, TheFaultyOneAloneIsNotFiniteOnAConstantChannel) {
    const BatchNorm::Shape shape{.n = 1, .c = 1, .h = 8, .w = 8};
    const Floats x(64, 2.0F);
    const auto is_finite = [](float value) { return std::isfinite(value); };
    EXPECT_THAT(normalized(variant("textbook_faulty"), runtime_.get(), shape, x).y,
                Each(::testing::IsNan()));
    for (const std::string& name : trainable()) {
        EXPECT_THAT(normalized(variant(name), runtime_.get(), shape, x).y,
                    Each(::testing::Truly(is_finite)))
            << name;
    }
}

TEST_F(BatchNormRungs, TheFaultyOneIsRefusedForTrainingAndSaysWhy) {
    const std::string why =
        "The batch_norm variant textbook_faulty is for teaching only and cannot train. It "
        "normalises each sample by itself, loses the variance to rounding where the mean is far "
        "from zero, and divides by zero where all values are the same.";
    const auto is_refusal =
        AllOf(Field(&Error::code, ErrorCode::unsupported), Field(&Error::message, why));
    const auto knob = check_variant(emulated, "batch_norm", "textbook_faulty");
    ASSERT_FALSE(knob);
    EXPECT_THAT(knob.error(), is_refusal);

    KernelChoice choice{.device = emulated, .variants = {}, .context = {.runtime = runtime_.get()}};
    choice.variants.set("batch_norm", "textbook_faulty");
    const auto kernel = make_kernel<BatchNorm>(choice, 1, [](std::int64_t) { return one_sample; });
    ASSERT_FALSE(kernel);
    EXPECT_THAT(kernel.error(), is_refusal);
}

TEST_F(BatchNormRungs, EveryOtherRungMayTrain) {
    EXPECT_THAT(trainable(),
                ::testing::UnorderedElementsAre("naive", "shared_tree", "shifted_single_pass",
                                                "vectorized", "warp_welford"));
    for (const std::string& name : trainable()) {
        EXPECT_TRUE(check_variant(emulated, "batch_norm", name)) << name;
    }
}

TEST_F(BatchNormRungs, AutoTakesVectorsWherePlanesAreLargeAndNeverTheFaultyOne) {
    const auto taken = [](const BatchNorm::Shape& shape) {
        return choose_variant<BatchNorm>(emulated, "auto", shape).value()->name;
    };
    EXPECT_EQ(taken({.n = 64, .c = 16, .h = 28, .w = 28}), "vectorized");
    EXPECT_EQ(taken({.n = 64, .c = 16, .h = 7, .w = 7}), "vectorized");
    EXPECT_EQ(taken({.n = 64, .c = 100}), "shifted_single_pass");
}

TEST_F(BatchNormRungs, AShortBatchDoesNotFallBackOnTheFaultyOneThoughItNeedsNoWorkspace) {
    const KernelChoice no_workspace{
        .device = emulated, .variants = {}, .context = {}, .micro_batch = 4, .workspace_bytes = 0};
    const auto shape_of = [](std::int64_t n) {
        return BatchNorm::Shape{.n = n, .c = 2, .h = 4, .w = 4};
    };
    const auto variant = kernel_variant<BatchNorm>(no_workspace, 3, shape_of);
    ASSERT_FALSE(variant) << (*variant)->name;
    EXPECT_THAT(variant.error().message, StartsWith("No batch_norm variant can do a short batch"));
}

TEST_F(BatchNormRungs, OnlyAVariantThatMayNotTrainHasAReason) {
    for (const VariantInfo& info : list_variants(emulated)) {
        EXPECT_EQ(info.trainable, info.why_untrainable.empty()) << info.op << " " << info.name;
    }
}

TEST_F(BatchNormRungs, VectorsGiveTheSameResultForTensorsOffTheirBorders) {
    const BatchNorm::Shape shape{.n = 3, .c = 2, .h = 32, .w = 32};
    const Floats x = seeded_floats(shape.elements(), 1, 1, 10, 1);
    const auto right = expected(shape, x);
    for (const std::size_t shift : {0U, 1U, 2U, 3U}) {
        const Normalized got = normalized(variant("vectorized"), runtime_.get(), shape, x, shift);
        EXPECT_LT(error_of(got, right), 1e-6) << shift;
        EXPECT_THAT(emulation::take_faults(), ::testing::IsEmpty());
    }
}

TEST_F(BatchNormRungs, VectorsShiftAnewInEachRunSoThatAFirstValueFarOutSpoilsNothing) {
    const BatchNorm::Shape shape{.n = 16, .c = 1, .h = 64, .w = 64};
    Floats x = seeded_floats(shape.elements(), 1, 1, 0, 1);
    x[0] = 1e4F;
    const auto right = expected(shape, x);
    const double variance = std::pow(right.invstd[0], -2) - static_cast<double>(shape.eps);
    const auto error = [&](std::string_view name) {
        const double found =
            std::abs(normalized(variant(name), runtime_.get(), shape, x).variance / variance - 1);
        RecordProperty(std::string(name), fmt::format("{:.2g}", found));
        return found;
    };
    EXPECT_LT(error("vectorized"), 1e-6);
    EXPECT_GT(error("shifted_single_pass"), 10 * error("vectorized"));
}

}  // namespace
}  // namespace trainscope::testing
