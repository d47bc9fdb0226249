// SPDX-License-Identifier: GPL-3.0-or-later
// Once the kernels are made, a step allocates nothing: counted by a global operator new of this
// test program. Sanitizers bring an operator new of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/train/small_training.h"

// GCC does not see that these two belong together once one of them is inlined.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* const data = std::malloc(size == 0 ? 1 : size)) {
        return data;
    }
    throw std::bad_alloc();
}
void operator delete(void* data) noexcept {
    std::free(data);
}
void operator delete(void* data, std::size_t) noexcept {
    std::free(data);
}

namespace trainscope {
namespace {

using namespace testing;

TEST(SteadyState, AStepAllocatesNothingOnceTheKernelsAreMade) {
    for (const ModelSpec& model : {small_cnn(), small_bn_cnn(), dense_bn()}) {
        SCOPED_TRACE(model.name);
        TrainerConfig config = small_config(model, 20);  // 20 * 4 + 16 samples an epoch
        config.accumulation = 2;
        // oneDNN's own execute allocates its arguments anew each time; ours do not.
        config.variants.set("conv2d", "direct");
        const auto training = make_training(config);
        const Training::Interrupted never = [] { return false; };
        for (int i = 0; i < 9; ++i) {
            ASSERT_TRUE(training->step(never));
        }
        const long before = allocations.load();
        bool whole = true;
        for (int i = 0; i < 60; ++i) {
            whole = training->step(never) && whole;
        }
        const long after = allocations.load();
        EXPECT_TRUE(whole);
        EXPECT_EQ(after - before, 0);
    }
}

}  // namespace
}  // namespace trainscope

#endif
