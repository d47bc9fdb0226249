// SPDX-License-Identifier: GPL-3.0-or-later
// Once the kernels are made, a step allocates nothing.
#include <gtest/gtest.h>

#include "tests/support/heap.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;

TEST(SteadyState, AStepAllocatesNothingOnceTheKernelsAreMade) {
    if (!heap_is_ours) {
        GTEST_SKIP() << "a sanitizer's heap is not counted";
    }
    for (const ModelSpec& model : {small_cnn(), small_bn_cnn(), dense_bn()}) {
        SCOPED_TRACE(model.name);
        TrainerConfig config = small_config(model, 20);  // 20 * 4 + 16 samples an epoch
        config.accumulation = 2;
        // oneDNN's own execute allocates its arguments anew each time; ours do not.
        config.variants.set("conv2d", "direct");
        const auto training = make_training(config);
        const Interrupted never = [] { return false; };
        for (int i = 0; i < 9; ++i) {
            ASSERT_TRUE(training->step(never));
        }
        const long before = heap_allocations();
        bool whole = true;
        for (int i = 0; i < 60; ++i) {
            whole = training->step(never) && whole;
        }
        const long after = heap_allocations();
        EXPECT_TRUE(whole);
        EXPECT_EQ(after - before, 0);
    }
}

}  // namespace
}  // namespace trainscope
