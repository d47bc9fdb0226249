// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise kernels that load vectors, on tensors that do not start where vectors do.
#include <gmock/gmock.h>

#include <algorithm>

#include "engine/cuda/runtime.h"
#include "engine/ops/add.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/relu.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/guarded.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

constexpr std::size_t count = 1031;

class ElementwiseOffBorders : public ::testing::TestWithParam<std::size_t> {
  protected:
    ~ElementwiseOffBorders() override { reset_emulated_device(); }

    template <class Op>
    std::unique_ptr<typename Op::Kernel> vectorized() {
        const typename Op::Shape shape{.elements = count};
        for (const KernelVariant<Op>& variant : variants_of<Op>(DeviceKind::emulated)) {
            if (variant.name == "vectorized") {
                return variant.make(shape, {.runtime = runtime_.get()});
            }
        }
        return nullptr;
    }
    // Room for the values, this test's shift further.
    static Guarded<float> shifted(std::uint64_t stream) {
        return Guarded<float>(
            seeded_floats(static_cast<std::int64_t>(GetParam() + count), 1, stream));
    }

    std::unique_ptr<DeviceRuntime> runtime_ = cuda::open_device(0).value();
};

TEST_P(ElementwiseOffBorders, ReluIsRight) {
    const std::size_t shift = GetParam();
    Guarded<float> x = shifted(1);
    Guarded<float> y(count);
    vectorized<Relu>()->forward(x.data() + shift, y.data());
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(y.data()[i], std::max(x.data()[shift + i], 0.0F)) << i;
    }
    EXPECT_THAT(emulation::take_faults(), ::testing::IsEmpty());
}

TEST_P(ElementwiseOffBorders, AddIsRight) {
    const std::size_t shift = GetParam();
    Guarded<float> a = shifted(1);
    Guarded<float> b = shifted(2);
    Guarded<float> sum(count);
    vectorized<Add>()->add(a.data(), b.data() + shift, sum.data());
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(sum.data()[i], a.data()[i] + b.data()[shift + i]) << i;
    }
    EXPECT_THAT(emulation::take_faults(), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(By, ElementwiseOffBorders, ::testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace trainscope::testing
