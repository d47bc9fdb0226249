// SPDX-License-Identifier: GPL-3.0-or-later
// What the knobs say that a setting costs in memory, and the budget.
#include <gmock/gmock.h>

#include <QDoubleSpinBox>
#include <QMenu>

#include "tests/ui/knobs_fixture.h"
#include "ui/number_text.h"

namespace trainscope::ui {
namespace {

using ::testing::HasSubstr;

using KnobsMemory = Knobs;

TEST_F(KnobsMemory, ABudgetIsTypedInAnyUnit) {
    auto& spin = find<QDoubleSpinBox>("memory_budgetEdit");
    const std::pair<const char*, std::int64_t> typed[] = {
        {"1KiB", 1024},       {"2 GiB", std::int64_t{2} << 30},
        {"1.5MB", 1'500'000}, {"3", 3 << 20},
        {"65536B", 65536},    {"3.25 MiB", 13 << 18}};
    for (const auto& [words, bytes] : typed) {
        type(spin, words);
        QTest::keyClick(&spin, Qt::Key_Return);
        EXPECT_EQ(written().memory_budget, bytes) << words;
        EXPECT_EQ(text("memory_budgetNote"), "") << words;
    }
    type(spin, "0");
    QTest::keyClick(&spin, Qt::Key_Return);
    EXPECT_FALSE(written().memory_budget);
    EXPECT_EQ(spin.text().toStdString(), "no limit");
}

TEST_F(KnobsMemory, ABudgetThatIsNoneIsRefusedWithItsReason) {
    run.memory_budget = 64 << 20;
    panel.setRun(run);
    auto& spin = find<QDoubleSpinBox>("memory_budgetEdit");
    for (const char* words : {"1XiB", "much", "-3", "GiB"}) {
        type(spin, words);
        QTest::keyClick(&spin, Qt::Key_Return);
        EXPECT_THAT(text("memory_budgetNote"), HasSubstr(words));
        EXPECT_EQ(written().memory_budget, 64 << 20) << words;
    }
}

TEST_F(KnobsMemory, ADevicesMemoryIsShownWhereItHasOneOfItsOwn) {
    start();
    EXPECT_EQ(text("deviceMemory"), "");
    TrainerStatus now = status();
    now.memory[MemoryCategory::parameters] = 1 << 20;
    now.device_memory = MemoryReport{
        .total = std::int64_t{8} << 30, .available = std::int64_t{5} << 30, .reserved = 1 << 30};
    panel.setStatus(now);
    EXPECT_EQ(text("deviceMemory"),
              "Of the device's 8.0 GiB: 1.0 GiB reserved here, of which 1.0 MiB in use; 2.0 GiB "
              "taken by others and its driver.");
    panel.setRunning(false);
    EXPECT_EQ(text("deviceMemory"), "");
}

TEST_F(KnobsMemory, ABudgetOfZeroIsNoLimit) {
    run.memory_budget = 1 << 20;
    panel.setRun(run);
    start();
    find<QDoubleSpinBox>("memory_budgetEdit").setValue(0);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(std::get<SetMemoryBudget>(commands[0]).bytes, std::nullopt);
}

TEST_F(KnobsMemory, PredictedMemoryIsThatOfThePlanAlsoWhileTyping) {
    give("simple-cnn");
    EXPECT_THAT(text("predictedMemory"), HasSubstr(bytesText(needed(32)).toStdString()));
    type(microBatch(), "500");
    EXPECT_THAT(text("predictedMemory"), HasSubstr(bytesText(needed(500)).toStdString()));
    EXPECT_TRUE(commands.empty());
}

TEST_F(KnobsMemory, WhatRunsNowIsShownBesideWhatIsPredicted) {
    give("simple-cnn");
    panel.setRunning(true);
    TrainerStatus now = status();
    now.memory[MemoryCategory::activations] = needed(32);
    panel.setStatus(now);
    EXPECT_EQ(text("predictedMemory"),
              ("Uses " + bytesText(needed(32)) + " of memory").toStdString());
    type(microBatch(), "64");
    EXPECT_EQ(text("predictedMemory"),
              ("Needs " + bytesText(needed(64)) + " of memory (now " + bytesText(needed(32)) + ")")
                  .toStdString());
}

TEST_F(KnobsMemory, OverTheBudgetTheLargestMicroBatchThatFitsIsNamed) {
    give("simple-cnn");
    run.memory_budget = needed(20);
    panel.setRun(run);
    EXPECT_THAT(text("predictedMemory"), HasSubstr("a micro-batch of 20 is the largest that fits"));
    run.micro_batch = 20;
    panel.setRun(run);
    EXPECT_THAT(text("predictedMemory"), HasSubstr("within the budget of"));
    run.memory_budget = 1;
    panel.setRun(run);
    EXPECT_THAT(text("predictedMemory"), HasSubstr("no micro-batch fits"));
}

TEST_F(KnobsMemory, PowersOfTwoAreOfferedWithTheirCost) {
    give("simple-cnn");
    auto& button = find<QToolButton>("micro_batchPowers");
    Q_EMIT button.menu()->aboutToShow();
    const QList<QAction*> powers = button.menu()->actions();
    ASSERT_EQ(powers.size(), 12);
    EXPECT_EQ(powers[4]->text(), QStringLiteral("16\t") + bytesText(needed(16)));
    powers[4]->trigger();
    EXPECT_EQ(written().micro_batch, 16);
}

}  // namespace
}  // namespace trainscope::ui
