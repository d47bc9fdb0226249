// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/device.h"

#include <gmock/gmock.h>

namespace trainscope {
namespace {

using ::testing::HasSubstr;

TEST(Device, EveryMachineHasItsCpu) {
    const auto devices = list_devices();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices.back().id, "cpu");
    EXPECT_GE(devices.back().threads, 1);
    EXPECT_GT(devices.back().memory_bytes, 0);
}

TEST(Device, AutoTakesTheBest) {
    const auto found = find_device("auto");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id, list_devices().front().id);
}

TEST(Device, AnUnknownIdIsAnErrorThatListsTheKnownOnes) {
    const auto found = find_device("tpu");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    EXPECT_THAT(found.error().message, HasSubstr("'tpu'"));
    EXPECT_THAT(found.error().message, HasSubstr("auto, cpu"));
}

}  // namespace
}  // namespace trainscope
