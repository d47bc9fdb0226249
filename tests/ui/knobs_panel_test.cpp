// SPDX-License-Identifier: GPL-3.0-or-later
// The knobs: what a turn asks for, waits for and falls back to, and what they say of it.
#include <gmock/gmock.h>

#include <QComboBox>
#include <QDoubleSpinBox>

#include "engine/ops/kernel_variant.h"
#include "tests/ui/knobs_fixture.h"
#include "ui/knobs/knob.h"

namespace trainscope::ui {
namespace {

using ::testing::HasSubstr;

TEST_F(Knobs, WriteWhatWasSet) {
    run.micro_batch = 48;
    run.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 0.003F, .beta1 = 0.8F};
    run.memory_budget = 12'345'678;  // no whole number of MiB
    run.evaluation_interval = 250;
    run.variants.set("conv2d", "direct");
    panel.setRun(run);
    const RunSettings out = written();
    EXPECT_EQ(out.micro_batch, 48);
    EXPECT_EQ(out.accumulation, 4);
    EXPECT_EQ(out.optimizer.kind, OptimizerKind::adam);
    EXPECT_EQ(out.optimizer.learning_rate, 0.003F);
    EXPECT_EQ(out.optimizer.beta1, 0.8F);
    EXPECT_EQ(out.memory_budget, 12'345'678);
    EXPECT_EQ(out.evaluation_interval, 250);
    EXPECT_EQ(out.variants, run.variants);
    EXPECT_TRUE(commands.empty());
}

TEST_F(Knobs, ATurnBeforeTheStartIsNoCommand) {
    press("micro_batchDouble");
    EXPECT_EQ(written().micro_batch, 64);
    EXPECT_TRUE(commands.empty());
}

TEST_F(Knobs, ATurnWhileRunningIsACommandAndWaits) {
    start();
    press("micro_batchHalve");
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(std::get<SetMicroBatch>(commands[0]).samples, 16);
    EXPECT_TRUE(find<QWidget>("micro_batch").property("pending").toBool());

    panel.showAnswer(QStringLiteral("micro_batch"), true, {});
    EXPECT_FALSE(find<QWidget>("micro_batch").property("pending").toBool());
    EXPECT_EQ(microBatch().value(), 16);
}

TEST_F(Knobs, ARefusedKnobReturnsToWhatRunsAndSaysWhy) {
    start();
    press("micro_batchDouble");
    panel.showAnswer(QStringLiteral("micro_batch"), false, QStringLiteral("It does not fit."));
    EXPECT_EQ(microBatch().value(), 32);
    EXPECT_EQ(text("micro_batchNote"), "It does not fit.");
    press("micro_batchHalve");
    EXPECT_EQ(text("micro_batchNote"), "") << "the reason goes with the next turn";
}

TEST_F(Knobs, AReasonGoesWhenALaterValueRuns) {
    start();
    press("micro_batchDouble");
    panel.showAnswer(QStringLiteral("micro_batch"), false, QStringLiteral("It does not fit."));
    panel.setStatus(status(2));
    EXPECT_EQ(text("micro_batchNote"), "It does not fit.");
    run.micro_batch = 48;  // accepted from elsewhere
    panel.setStatus(status(3));
    EXPECT_EQ(microBatch().value(), 48);
    EXPECT_EQ(text("micro_batchNote"), "");
}

TEST_F(Knobs, ARefusalGoesBackToTheValueThatWasAppliedBeforeIt) {
    start();
    press("micro_batchDouble");
    press("micro_batchDouble");
    panel.showAnswer(QStringLiteral("micro_batch"), true, {});
    panel.showAnswer(QStringLiteral("micro_batch"), false, QStringLiteral("It does not fit."));
    EXPECT_EQ(microBatch().value(), 64);
    run.micro_batch = 64;
    panel.setStatus(status(3));
    EXPECT_EQ(text("micro_batchNote"), "It does not fit.") << "it is about 128, not 64";
}

TEST_F(Knobs, DoublingEndsAtTheSamplesThereAre) {
    TrainerStatus now = status();
    now.epoch_samples = 100;
    panel.setRunning(true);
    panel.setStatus(now);
    press("micro_batchDouble");
    press("micro_batchDouble");
    press("micro_batchDouble");
    EXPECT_EQ(microBatch().value(), 100);
    panel.setRunning(false);
    press("micro_batchDouble");
    EXPECT_EQ(microBatch().value(), 200) << "of the next run's data nothing is known";
}

TEST_F(Knobs, OneTurnedAgainWhileItWaitsSendsOnlyTheLatestValueAfterTheAnswer) {
    start();
    press("micro_batchDouble");
    press("micro_batchDouble");
    press("micro_batchDouble");
    EXPECT_EQ(commands.size(), 1U);
    panel.showAnswer(QStringLiteral("micro_batch"), true, {});
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(std::get<SetMicroBatch>(commands[1]).samples, 256);
    EXPECT_TRUE(find<QWidget>("micro_batch").property("pending").toBool());
}

TEST_F(Knobs, AStatusTakenBeforeTheAnswerDoesNotTurnTheKnobBack) {
    start();
    press("micro_batchDouble");
    panel.showAnswer(QStringLiteral("micro_batch"), true, {});
    panel.setStatus(status(0));
    EXPECT_EQ(microBatch().value(), 64);
    run.micro_batch = 20;  // turned by someone else since
    panel.setStatus(status(2));
    EXPECT_EQ(microBatch().value(), 20);
}

TEST_F(Knobs, OneThatIsBeingTypedIntoIsNotOverwritten) {
    start();
    type(microBatch(), "9");
    run.micro_batch = 64;
    panel.setStatus(status(1));
    EXPECT_EQ(microBatch().text(), QStringLiteral("9"));
    EXPECT_TRUE(commands.empty()) << "nothing is sent before Return";
    QTest::keyClicks(&microBatch(), QStringLiteral("6"));
    QTest::keyClick(&microBatch(), Qt::Key_Return);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(std::get<SetMicroBatch>(commands[0]).samples, 96);
}

TEST_F(Knobs, EscapeTakesBackWhatWasTyped) {
    start();
    type(microBatch(), "999");
    QTest::keyClick(&microBatch(), Qt::Key_Escape);
    EXPECT_EQ(microBatch().text(), QStringLiteral("32"));
    type(learningRate(), "7");
    QTest::keyClick(&learningRate(), Qt::Key_Escape);
    EXPECT_EQ(learningRate().text(), QStringLiteral("0.05"));
    EXPECT_TRUE(commands.empty());
}

TEST_F(Knobs, WhatIsTypedWithoutReturnCountsAtTheStart) {
    type(microBatch(), "77");
    type(learningRate(), "1e-3");
    EXPECT_EQ(written().micro_batch, 77);
    EXPECT_EQ(written().optimizer.learning_rate, 1e-3F);
}

TEST_F(Knobs, TheLearningRateIsReadInScientificNotationAndScaled) {
    start();
    type(learningRate(), "2.5e-3");
    QTest::keyClick(&learningRate(), Qt::Key_Return);
    panel.showAnswer(QStringLiteral("learning_rate"), true, {});
    press("learning_rateHalve");
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(static_cast<float>(std::get<SetLearningRate>(commands[0]).value), 2.5e-3F);
    EXPECT_EQ(static_cast<float>(std::get<SetLearningRate>(commands[1]).value), 1.25e-3F);
}

TEST_F(Knobs, ACountOfZeroIsRefusedWithItsReason) {
    start();
    for (const char* name : {"micro_batch", "accumulation"}) {
        SCOPED_TRACE(name);
        auto& spin = find<QSpinBox>((std::string(name) + "Edit").c_str());
        const int before = spin.value();
        type(spin, "0");
        QTest::keyClick(&spin, Qt::Key_Return);
        EXPECT_EQ(spin.value(), before);
        EXPECT_THAT(text((std::string(name) + "Note").c_str()),
                    ::testing::AllOf(HasSubstr("from 1 to"), HasSubstr("\u201c0\u201d")));
        type(spin, "7");
        QTest::keyClick(&spin, Qt::Key_Return);
        EXPECT_EQ(text((std::string(name) + "Note").c_str()), "");
    }
    EXPECT_EQ(commands.size(), 2u);
}

TEST_F(Knobs, AKnobThatIsTurnedBackWhileItWaitsAsksForNothingMore) {
    start();
    press("micro_batchDouble");
    press("micro_batchDouble");
    press("micro_batchHalve");  // 32 -> 64 -> 128 -> 64
    ASSERT_EQ(commands.size(), 1u);
    panel.showAnswer(QStringLiteral("micro_batch"), true, {});
    EXPECT_EQ(commands.size(), 1u);
    EXPECT_EQ(microBatch().value(), 64);
    EXPECT_FALSE(find<QWidget>("micro_batch").property("pending").toBool());
}

TEST_F(Knobs, ALearningRateThatIsNoneIsRefusedWithItsReason) {
    start();
    for (const char* wrong : {"nan", "inf", "0", "-0.1", "fast", "", "1e-60", "1e60"}) {
        type(learningRate(), wrong);
        if (*wrong == '\0') {
            QTest::keyClick(&learningRate(), Qt::Key_Delete);
        }
        QTest::keyClick(&learningRate(), Qt::Key_Return);
        EXPECT_EQ(learningRate().text(), QStringLiteral("0.05")) << wrong;
        EXPECT_THAT(text("learning_rateNote"), HasSubstr("Expected a number above 0")) << wrong;
        EXPECT_THAT(text("learning_rateNote"), HasSubstr(wrong)) << wrong;
    }
    EXPECT_TRUE(commands.empty());
}

TEST_F(Knobs, EveryKnobAsksForWhatItShows) {
    start();
    auto choose = [this](const char* name, const char* value) {
        auto& combo = find<QComboBox>(name);
        combo.setCurrentIndex(combo.findData(QLatin1String(value)));
        Q_EMIT combo.activated(combo.currentIndex());
    };
    find<QSpinBox>("accumulationEdit").setValue(8);
    choose("optimizerEdit", "adamw");
    find<QDoubleSpinBox>("memory_budgetEdit").setValue(2.5);
    choose("conv2d variantEdit", "direct");
    find<QSpinBox>("evaluation_intervalEdit").setValue(250);
    ASSERT_EQ(commands.size(), 5U);
    EXPECT_EQ(std::get<SetAccumulation>(commands[0]).steps, 8);
    EXPECT_EQ(std::get<SetOptimizer>(commands[1]).kind, OptimizerKind::adamw);
    EXPECT_EQ(std::get<SetMemoryBudget>(commands[2]).bytes, 2'621'440);
    EXPECT_EQ(std::get<SetVariant>(commands[3]).op, "conv2d");
    EXPECT_EQ(std::get<SetVariant>(commands[3]).variant, "direct");
    EXPECT_EQ(std::get<SetEvaluationInterval>(commands[4]).steps, 250);

    QStringList names;
    for (const CommandBody& command : commands) {
        names << KnobsPanel::knobOf(command);
    }
    EXPECT_EQ(names.join(QLatin1Char(',')),
              QStringLiteral("accumulation,optimizer,memory_budget,conv2d variant,"
                             "evaluation_interval"));
    EXPECT_TRUE(KnobsPanel::knobOf(Pause{}).isEmpty());
}

TEST_F(Knobs, AnEvaluationIntervalOfZeroIsEachEpoch) {
    run.evaluation_interval = 100;
    panel.setRun(run);
    start();
    auto& interval = find<QSpinBox>("evaluation_intervalEdit");
    EXPECT_EQ(interval.text(), QStringLiteral("100 steps"));
    type(interval, "0");
    QTest::keyClick(&interval, Qt::Key_Return);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(std::get<SetEvaluationInterval>(commands[0]).steps, 0);
    panel.showAnswer(QStringLiteral("evaluation_interval"), true, {});
    EXPECT_EQ(interval.text(), QStringLiteral("each epoch"));
}

TEST_F(Knobs, TheEffectiveBatchIsShown) {
    EXPECT_EQ(text("effectiveBatch"), "32 \u00d7 4 = 128 samples an update");
    press("accumulationDouble");
    EXPECT_EQ(text("effectiveBatch"), "32 \u00d7 8 = 256 samples an update");
}

TEST_F(Knobs, GhostBatchNormIsPointedOutOnlyWhereItHappens) {
    give("simple-cnn");
    EXPECT_EQ(text("ghostBatchNorm"), "");
    give("bn-cnn");
    EXPECT_THAT(text("ghostBatchNorm"), HasSubstr("each micro-batch of 32 alone"));
    find<QSpinBox>("accumulationEdit").setValue(1);
    EXPECT_EQ(text("ghostBatchNorm"), "");
}

TEST_F(Knobs, AutomaticVariantsSayWhatRuns) {
    panel.setRunning(true);
    TrainerStatus now = status();
    now.variants_used = {{"conv2d", "im2col_gemm"}};
    panel.setStatus(now);
    EXPECT_EQ(find<QComboBox>("conv2d variantEdit").currentText(),
              QStringLiteral("auto (im2col_gemm)"));
}

TEST_F(Knobs, WhereAPointIsACommaBothAreReadAsOne) {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    RunSettings run;
    run.optimizer.learning_rate = 0.03F;
    panel.setRun(run);
    EXPECT_EQ(learningRate().text(), QStringLiteral("0,03"));
    for (const char* typed : {"0,005", "0.005", "5e-3"}) {
        learningRate().selectAll();
        QTest::keyClicks(&learningRate(), QLatin1String(typed));
        QTest::keyClick(&learningRate(), Qt::Key_Return);
        EXPECT_EQ(written().optimizer.learning_rate, 0.005F) << typed;
        EXPECT_EQ(learningRate().text(), QStringLiteral("0,005")) << typed;
    }
    QLocale::setDefault(before);
}

TEST_F(Knobs, AVariantThatTurnsNothingInThisModelSaysWhy) {
    const auto hint = [&](const char* knob) {
        return find<Knob>(knob).note()->text().toStdString();
    };
    panel.setRunning(true);
    TrainerStatus now = status();
    now.variants_used = {{"conv_relu_pool", "fused_direct"}, {"dense", "blocked"}};
    panel.setStatus(now);
    EXPECT_THAT(hint("conv2d variant"), HasSubstr("conv_relu_pool (fused_direct)"));
    EXPECT_THAT(hint("batch_norm variant"), HasSubstr("has no batch_norm"));
    EXPECT_EQ(hint("dense variant"), "");
    now.variants_used = {
        {"conv_relu_pool", "separate"}, {"conv2d", "direct"}, {"dense", "blocked"}};
    panel.setStatus(now);
    EXPECT_EQ(hint("conv2d variant"), "");
    now.variants_used = {{"batch_norm_relu", "fused_relu"}, {"conv2d", "direct"}};
    panel.setStatus(now);
    EXPECT_EQ(hint("batch_norm variant"),
              "Runs in batch_norm_relu (fused_relu); a choice here takes it out.");
    EXPECT_THAT(hint("conv_relu_pool variant"), HasSubstr("has no conv_relu_pool"));
    now.variants_used = {{"dense_relu", "blocked"}};
    panel.setStatus(now);
    EXPECT_EQ(hint("dense variant"), "Runs in dense_relu (blocked); a choice here takes it out.");
}

TEST_F(Knobs, EveryVariantOfTheEngineIsOfferedWithItsDescription) {
    auto& combo = find<QComboBox>("conv2d variantEdit");
    for (const VariantInfo& variant : list_variants(DeviceKind::cpu)) {
        if (variant.op == "conv2d") {
            const int at = combo.findData(QString::fromStdString(variant.name));
            ASSERT_GE(at, 0) << variant.name;
            EXPECT_EQ(combo.itemData(at, Qt::ToolTipRole).toString().toStdString(),
                      variant.description);
        }
    }
}

TEST_F(Knobs, WhatNoModelHasIsNoKnob) {
    for (const DeviceKind device : all_device_kinds) {
        for (const VariantInfo& variant : list_variants(device)) {
            if (variant.tool) {
                const auto name = QString::fromStdString(variant.op + " variant");
                EXPECT_EQ(panel.findChild<Knob*>(name), nullptr) << variant.op;
            }
        }
    }
}

TEST_F(Knobs, AdamWithALargeRateGetsAHint) {
    run.optimizer = {.kind = OptimizerKind::adam, .learning_rate = 0.05F};
    panel.setRun(run);
    EXPECT_THAT(text("learning_rateNote"), HasSubstr("Large for Adam"));
    run.optimizer.learning_rate = 0.001F;
    panel.setRun(run);
    EXPECT_EQ(text("learning_rateNote"), "");
}

TEST_F(Knobs, AfterTheEndTheKnobsStandForTheNextStart) {
    start();
    press("micro_batchDouble");
    panel.setRunning(false);
    EXPECT_FALSE(find<QWidget>("micro_batch").property("pending").toBool());
    EXPECT_EQ(written().micro_batch, 64);
    panel.setStatus(status(5));
    EXPECT_EQ(written().micro_batch, 64) << "a training that is over turns no knob";
}

TEST_F(Knobs, EveryControlIsReachedByKeyAndHasAName) {
    for (const QWidget* control : panel.findChildren<QWidget*>()) {
        if (control->objectName().endsWith(QStringLiteral("Edit"))) {
            EXPECT_TRUE(control->focusPolicy() & Qt::TabFocus)
                << control->objectName().toStdString();
            EXPECT_FALSE(control->accessibleName().isEmpty())
                << control->objectName().toStdString();
            EXPECT_FALSE(control->toolTip().isEmpty()) << control->objectName().toStdString();
        }
    }
}

}  // namespace
}  // namespace trainscope::ui
