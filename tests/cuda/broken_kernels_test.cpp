// SPDX-License-Identifier: GPL-3.0-or-later
// The emulation finds what is wrong in kernels, whatever the order of their threads.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

#include "tests/cuda/broken/broken_kernel.h"
#include "tests/cuda/emulated_device.h"

namespace trainscope::testing {

std::vector<BrokenKernel>& broken_kernels() {
    static std::vector<BrokenKernel> kernels;
    return kernels;
}

namespace {

using emulation::Fault;

class BrokenKernelTest : public ::testing::TestWithParam<std::string> {
  protected:
    ~BrokenKernelTest() override { reset_emulated_device(); }
    static const BrokenKernel& kernel() {
        for (const BrokenKernel& kernel : broken_kernels()) {
            if (kernel.name == GetParam()) {
                return kernel;
            }
        }
        throw std::out_of_range(GetParam());
    }
};

std::string text_of(const std::vector<Fault>& faults) {
    std::string text;
    for (const Fault& fault : faults) {
        text += fmt::format("{}: {}\n", name_of(fault.kind), fault.message);
    }
    return text;
}

TEST_P(BrokenKernelTest, IsCaughtInEveryOrderOfItsThreads) {
    for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
        SCOPED_TRACE(fmt::format("order {}", seed));
        emulation::set_order_seed(seed);
        kernel().broken();
        const std::vector<Fault> faults = emulation::take_faults();
        EXPECT_THAT(faults, ::testing::Contains(::testing::Field(&Fault::kind, kernel().expected)))
            << text_of(faults);
    }
}

TEST_P(BrokenKernelTest, IsNotSuspectedOnceItIsRight) {
    for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
        SCOPED_TRACE(fmt::format("order {}", seed));
        emulation::set_order_seed(seed);
        kernel().right();
        EXPECT_EQ(text_of(emulation::take_faults()), "");
    }
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const BrokenKernel& kernel : broken_kernels()) {
        all.push_back(kernel.name);
    }
    std::sort(all.begin(), all.end());
    return all;
}
INSTANTIATE_TEST_SUITE_P(All, BrokenKernelTest, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST(BrokenKernels, AMessageNamesTheLaunchTheBlockAndTheThread) {
    for (const BrokenKernel& kernel : broken_kernels()) {
        if (kernel.name == "off_by_one_write") {
            kernel.broken();
        }
    }
    const std::string error = cuda::first_error();
    reset_emulated_device();
    EXPECT_THAT(error, ::testing::HasSubstr("off_by_one_write.cu:"));
    EXPECT_THAT(error, ::testing::HasSubstr("block (1, 0, 0), thread (4, 0, 0) writes byte 400"));
}

}  // namespace
}  // namespace trainscope::testing
