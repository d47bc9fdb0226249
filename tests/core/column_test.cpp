// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/column.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace trainscope {
namespace {

TEST(Column, KeepsEveryValueAcrossChunks) {
    Column<int> column;
    for (int i = 0; i < 100'000; ++i) {
        column.append(i);
    }
    ASSERT_EQ(column.size(), 100'000u);
    for (std::size_t i = 0; i < column.size(); ++i) {
        ASSERT_EQ(column[i], static_cast<int>(i));
    }
}

TEST(Column, RunsCoverARangeOnceInOrder) {
    Column<std::size_t> column;
    for (std::size_t i = 0; i < 10'000; ++i) {
        column.append(i);
    }
    std::size_t next = 500;
    while (next < 9'001) {
        for (const std::size_t value : column.run(next, 9'001)) {
            ASSERT_EQ(value, next++);
        }
    }
    EXPECT_EQ(next, 9'001u);
    EXPECT_TRUE(column.run(7, 7).empty());
}

TEST(Column, AReaderSeesAConsistentPrefixWhileAWriterAppends) {
    Column<std::size_t> column;
    constexpr std::size_t count = 300'000;
    std::jthread writer([&] {
        for (std::size_t i = 0; i < count; ++i) {
            column.append(i);
        }
    });
    std::size_t seen = 0;
    while (seen < count) {
        const std::size_t size = column.size();
        ASSERT_GE(size, seen);
        for (std::size_t i = seen; i < size; ++i) {
            ASSERT_EQ(column[i], i);
        }
        seen = size;
    }
}

}  // namespace
}  // namespace trainscope
