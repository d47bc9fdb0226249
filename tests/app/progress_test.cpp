// SPDX-License-Identifier: GPL-3.0-or-later
// The line that a terminal sees of a training, however narrow it is.
#include "app/command_line/progress.h"

#include <gmock/gmock.h>

namespace trainscope::command_line {
namespace {

using ::testing::StartsWith;

constexpr const char* text =
    "epoch 1/1000  step 1,234  loss 0.1234  12,345 samples/s  1:23:45 left";

TEST(ProgressLine, HasItsWholeBarWhereThereIsRoom) {
    EXPECT_EQ(progress_line(0.5, "step 1", 120), "[############------------]  50 %  step 1");
    EXPECT_EQ(progress_line(0, "step 1", 120), "[------------------------]   0 %  step 1");
    EXPECT_EQ(progress_line(1, "step 1", 120), "[########################] 100 %  step 1");
}

TEST(ProgressLine, IsNeverAsWideAsTheTerminal) {
    for (std::size_t columns = 0; columns <= 130; ++columns) {
        for (const double share : {-1.0, 0.0, 0.3, 1.0}) {
            EXPECT_LE(progress_line(share, text, columns).size(), columns == 0 ? 0 : columns - 1);
        }
    }
}

TEST(ProgressLine, ItsBarGivesWayToTheTextWhichIsCutLast) {
    EXPECT_EQ(progress_line(0.5, "step 1", 27), "[#####-----]  50 %  step 1");
    EXPECT_EQ(progress_line(0.5, "step 1", 20), " 50 %  step 1");
    EXPECT_EQ(progress_line(0.5, text, 20), " 50 %  epoch 1/1000");
    EXPECT_THAT(progress_line(0.5, text, 80), StartsWith(" 50 %  epoch 1/1000"));
}

TEST(ProgressLine, HasNoBarWithoutAnEnd) {
    EXPECT_EQ(progress_line(-1, "step 1", 80), "step 1");
}

}  // namespace
}  // namespace trainscope::command_line
