// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/arena.h"

#include <gtest/gtest.h>

namespace trainscope {
namespace {

TEST(Arena, BooksEveryByteUnderItsCategoryAndGivesItBack) {
    Arena arena(host_allocator());
    {
        const auto a = arena.allocate(100, MemoryCategory::activations, "a");
        const auto b = arena.allocate(64, MemoryCategory::parameters, "b");
        ASSERT_TRUE(a && b);
        EXPECT_EQ(arena.in_use()[MemoryCategory::activations], 128);
        EXPECT_EQ(arena.in_use()[MemoryCategory::parameters], 64);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->data()) % 64, 0u);
    }
    EXPECT_EQ(arena.in_use().total(), 0);
    EXPECT_EQ(arena.peak(), 192);
    arena.reset_peak();
    EXPECT_EQ(arena.peak(), 0);
}

TEST(Arena, RefusesPastTheBudgetWithASentenceAndStaysAsItWas) {
    Arena arena(host_allocator(), 1024);
    const auto held = arena.allocate(1000, MemoryCategory::input, "a batch");
    ASSERT_TRUE(held);
    const MemoryUsage before = arena.in_use();
    const auto refused = arena.allocate(1, MemoryCategory::workspace, "im2col");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
    EXPECT_EQ(refused.error().message,
              "Out of memory: im2col needs 64 B, but the budget of 1.0 KiB has 0 B left.");
    EXPECT_EQ(arena.in_use(), before);
}

TEST(Arena, FailsTheChosenAllocationOnceWhenAsked) {
    Arena arena(host_allocator());
    arena.fail_allocation(1);
    EXPECT_TRUE(arena.allocate(8, MemoryCategory::input, "first"));
    EXPECT_FALSE(arena.allocate(8, MemoryCategory::input, "second"));
    EXPECT_TRUE(arena.allocate(8, MemoryCategory::input, "third"));
    EXPECT_EQ(arena.in_use().total(), 0);
}

TEST(Arena, AMovedBufferIsReleasedOnce) {
    Arena arena(host_allocator());
    Buffer kept;
    {
        auto buffer = arena.allocate(256, MemoryCategory::gradients, "g");
        ASSERT_TRUE(buffer);
        kept = std::move(*buffer);
    }
    EXPECT_EQ(arena.in_use().total(), 256);
    kept = Buffer{};
    EXPECT_EQ(arena.in_use().total(), 0);
}

}  // namespace
}  // namespace trainscope
