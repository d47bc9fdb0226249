// SPDX-License-Identifier: GPL-3.0-or-later
// The program's window as a process: what it remembers, and how a signal ends it.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "app/command_line/arguments.h"
#include "app/command_line/settings.h"
#include "tests/app/program.h"

namespace trainscope {
namespace {

using command_line::parse_arguments;
using command_line::settle_window;
using ::testing::HasSubstr;

command_line::Arguments typed(std::vector<const char*> words) {
    words.insert(words.begin(), "trainscope");
    return parse_arguments(static_cast<int>(words.size()), words.data()).arguments;
}

ui::RunSettings remembered() {
    ui::RunSettings run;
    run.optimizer.kind = OptimizerKind::adamw;
    run.optimizer.learning_rate = 0.002F;
    run.micro_batch = 48;
    return run;
}

TEST(WindowSettings, AnOptionLeavesTheRememberedOptimizerAsItIs) {
    const auto settled = settle_window(typed({"--seed", "7"}), remembered());
    ASSERT_TRUE(settled) << settled.error().message;
    EXPECT_EQ(settled->run.seed, 7U);
    EXPECT_EQ(settled->run.micro_batch, 48);
    EXPECT_EQ(settled->run.optimizer.kind, OptimizerKind::adamw);
    EXPECT_EQ(settled->run.optimizer.learning_rate, 0.002F);
    EXPECT_EQ(settled->fallback, "");
}

TEST(WindowSettings, AModelBringsItsOptimizer) {
    const auto settled = settle_window(typed({"--model", "keras-cnn"}), remembered());
    ASSERT_TRUE(settled) << settled.error().message;
    EXPECT_EQ(settled->run.optimizer.kind, OptimizerKind::adam);
}

TEST(WindowSettings, ARememberedModelFileThatIsGoneGivesWayWithASentence) {
    ui::RunSettings run = remembered();
    run.model = "/gone/model.json";
    const auto settled = settle_window(typed({"--seed", "7"}), run);
    ASSERT_TRUE(settled) << settled.error().message;
    EXPECT_EQ(settled->run.model, "simple-cnn");
    EXPECT_THAT(settled->fallback, HasSubstr("/gone/model.json"));
}

TEST(WindowSettings, ARememberedDataFolderThatIsGoneGivesWayWithASentence) {
    ui::RunSettings run = remembered();
    run.dataset.name = "cifar10";
    run.dataset.folder = "/gone/cifar";
    const auto settled = settle_window(typed({"--seed", "7"}), run);
    ASSERT_TRUE(settled) << settled.error().message;
    EXPECT_EQ(settled->run.dataset.name, "digits");
    EXPECT_TRUE(settled->run.dataset.folder.empty());
    EXPECT_THAT(settled->fallback, HasSubstr("/gone/cifar"));
    EXPECT_EQ(settled->run.micro_batch, 48) << "the rest stays";

    run.model = "/gone/model.json";
    EXPECT_THAT(settle_window(typed({}), run)->fallback,
                ::testing::AllOf(HasSubstr("/gone/model.json"), HasSubstr("/gone/cifar")));
}

TEST(WindowSettings, ADataFolderThatWasTypedIsKeptAndOneThatIsThereStays) {
    ui::RunSettings run = remembered();
    run.dataset.name = "cifar10";
    run.dataset.folder = "/gone/cifar";
    EXPECT_EQ(settle_window(typed({"--data-dir", "/other"}), run)->run.dataset.folder, "/other");
    const testing::TemporaryFolder folder;
    run.dataset.folder = folder.path();
    const auto settled = settle_window(typed({}), run);
    EXPECT_EQ(settled->run.dataset.folder, folder.path());
    EXPECT_EQ(settled->fallback, "");
}

TEST(WindowSettings, AModelFileThatWasTypedMustBeThere) {
    const auto settled = settle_window(typed({"--model", "/gone/model.json"}), remembered());
    ASSERT_FALSE(settled);
    EXPECT_THAT(settled.error().message, HasSubstr("/gone/model.json"));
}

class WindowSignal : public ::testing::TestWithParam<int> {};

TEST_P(WindowSignal, ClosesTheWindowInTheMiddleOfATraining) {
    testing::TemporaryFolder folder;
    testing::Program program(
        {"--start", "--dataset", "digits", "--train-count", "500", "--test-count", "50",
         "--batch-size", "32"},
        {"QT_QPA_PLATFORM=offscreen", "XDG_CONFIG_HOME=" + folder.path().string()});
    ASSERT_TRUE(program.wait_until_it_catches(GetParam()));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // in which it trains
    const auto begin = std::chrono::steady_clock::now();
    program.signal(GetParam());
    const testing::Outcome outcome = program.finish();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_LT(taken.count(), 1.0);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "Trainscope" / "Trainscope.conf"));
}
INSTANTIATE_TEST_SUITE_P(Signals, WindowSignal, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace trainscope
