// SPDX-License-Identifier: GPL-3.0-or-later
// Whole training runs on the emulated device against float64 results: every run of the shared
// folder, and every variant that may train in one of them at least.
#include <gtest/gtest.h>

#include "tests/cuda/emulated_device.h"
#include "tests/support/shared.h"
#include "tests/train/golden_runs.h"

namespace trainscope {
namespace {

using namespace testing;

class EmulatedTrainGolden : public ::testing::TestWithParam<std::size_t> {
  protected:
    // Each set in an order of threads and blocks of its own, the first in that of their indices.
    EmulatedTrainGolden() { emulation::set_order_seed(GetParam()); }
    ~EmulatedTrainGolden() override { reset_emulated_device(); }
};

TEST_P(EmulatedTrainGolden, RunsAreReproducedByASetOfVariants) {
    TRAINSCOPE_NEEDS_SHARED();
    expect_set_reproduces(GetParam(), find_device("emulated").value());
}

INSTANTIATE_TEST_SUITE_P(Set, EmulatedTrainGolden,
                         ::testing::Range(std::size_t{0}, sets_of_variants(DeviceKind::emulated)));

}  // namespace
}  // namespace trainscope
