// SPDX-License-Identifier: GPL-3.0-or-later
// Knobs that need other memory: the plan is what is allocated, and running out of it leaves the
// training as it was.
#include <gmock/gmock.h>

#include "engine/core/format.h"
#include "engine/ops/kernel_variant.h"
#include "engine/train/training.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::DoubleNear;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

MemoryUsage planned(const Training& training) {
    return plan_memory(training.graph(), training.plan_settings()).value().usage;
}

std::int64_t planned_total(const Training& training, std::int64_t micro_batch) {
    PlanSettings settings = training.plan_settings();
    settings.micro_batch = micro_batch;
    return plan_memory(training.graph(), settings).value().usage.total();
}

void expect_ledger_equals_plan(const Training& training) {
    EXPECT_EQ(training.arena().in_use(), planned(training));
    EXPECT_EQ(training.arena().peak(), planned(training).total());
}

TEST(TrainingKnobs, TheLedgerAgreesWithThePlanToTheByteAfterEveryKnob) {
    for (const ModelSpec& model : {small_cnn(), small_bn_cnn(), dense_bn()}) {
        SCOPED_TRACE(model.name);
        const auto training = make_training(small_config(model));
        expect_ledger_equals_plan(*training);
        for (const std::int64_t micro_batch : {3, 48, 12}) {
            ASSERT_TRUE(training->set(SetMicroBatch{micro_batch}));
            expect_ledger_equals_plan(*training);
            run_steps(*training, 2);
        }
        for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::sgd,
                                         OptimizerKind::adamw, OptimizerKind::momentum}) {
            ASSERT_TRUE(training->set(SetOptimizer{.kind = kind, .learning_rate = {}}));
            expect_ledger_equals_plan(*training);
            run_steps(*training, 2);
        }
        for (const VariantInfo& variant : list_variants(DeviceKind::cpu)) {
            if (training->set(SetVariant{variant.op, variant.name})) {
                expect_ledger_equals_plan(*training);
                run_steps(*training, 1);
            }
        }
        const Telemetry& log = *training->telemetry();
        EXPECT_EQ(log.at(Metric::memory_peak, log.steps() - 1),
                  static_cast<double>(planned(*training).total()));
    }
}

// Two trainings that are the same; what one is asked, the other is not.
struct Twins {
    explicit Twins(const TrainerConfig& config)
        : asked(make_training(config)), other(make_training(config)) {
        run_steps(*asked, 4);
        run_steps(*other, 4);
    }
    void expect_the_same() {
        expect_ledger_equals_plan(*asked);
        EXPECT_EQ(asked->failure(), "");
        run_steps(*asked, 9);
        run_steps(*other, 9);
        EXPECT_EQ(column(*asked->telemetry(), Metric::loss),
                  column(*other->telemetry(), Metric::loss));
        EXPECT_EQ(asked->parameters(), other->parameters());
        EXPECT_EQ(asked->position(), other->position());
    }
    std::unique_ptr<Training> asked, other;
};

TEST(TrainingKnobs, AKnobThatIsThereAlreadyIsNotAnnotated) {
    const auto training = make_training(small_config());
    run_steps(*training, 2);
    const Knobs knobs = training->knobs();
    ASSERT_TRUE(training->set(SetMicroBatch{knobs.micro_batch}));
    ASSERT_TRUE(training->set(SetAccumulation{knobs.accumulation}));
    ASSERT_TRUE(training->set(SetLearningRate{0.05}));
    ASSERT_TRUE(training->set(SetVariant{"dense", "auto"}));
    ASSERT_TRUE(training->set(SetMemoryBudget{std::nullopt}));
    ASSERT_TRUE(training->set(SetEvaluationInterval{0}));
    EXPECT_EQ(training->telemetry()->annotation_count(), 0u);
    // The optimizer begins anew, which shows in the curves.
    ASSERT_TRUE(training->set(SetOptimizer{.kind = knobs.optimizer.kind, .learning_rate = {}}));
    EXPECT_EQ(training->telemetry()->annotation_count(), 1u);
}

TEST(TrainingKnobs, ARefusalForTheBudgetLeavesTrainingAsItWasToTheBit) {
    TrainerConfig config = small_config(small_bn_cnn());
    config.memory_budget = planned_total(*make_training(config), 16) + 64;
    Twins twins(config);
    const Result<void> larger = twins.asked->set(SetMicroBatch{32});
    ASSERT_FALSE(larger);
    EXPECT_THAT(larger.error().message, HasSubstr("budget"));
    EXPECT_THAT(larger.error().message, HasSubstr("largest micro-batch that fits is 1"));
    EXPECT_FALSE(twins.asked->set(SetOptimizer{.kind = OptimizerKind::adam, .learning_rate = {}}));
    EXPECT_EQ(twins.asked->knobs().optimizer.kind, OptimizerKind::momentum);
    EXPECT_FALSE(twins.asked->set(SetMemoryBudget{1000}));
    twins.expect_the_same();
    EXPECT_EQ(twins.asked->telemetry()->annotation_count(), 3u);
    EXPECT_TRUE(twins.asked->telemetry()->annotations()[0].refused);
}

TEST(TrainingKnobs, ARefusalForAFewBytesNamesBothSizesToTheByte) {
    TrainerConfig config = small_config();
    const std::int64_t needed = planned_total(*make_training(config), 17);
    config.memory_budget = needed - 1;
    const auto training = make_training(config);
    const Result<void> larger = training->set(SetMicroBatch{17});
    ASSERT_FALSE(larger);
    EXPECT_THAT(larger.error().message,
                HasSubstr("needs " + format_count(needed) + " B, but the memory budget is " +
                          format_count(needed - 1) + " B;"));
    const std::int64_t used = planned_total(*training, config.micro_batch);
    const Result<void> budget = training->set(SetMemoryBudget{used - 1});
    ASSERT_FALSE(budget);
    EXPECT_THAT(budget.error().message, HasSubstr("of " + format_count(used - 1) +
                                                  " B is below the " + format_count(used) + " B"));
}

TEST(TrainingKnobs, WithinABudgetThatCannotHoldBothTheNewSettingReplacesTheOld) {
    TrainerConfig config = small_config();
    config.memory_budget = planned_total(*make_training(config), 17);
    const auto training = make_training(config);
    ASSERT_TRUE(training->set(SetMicroBatch{17}));
    expect_ledger_equals_plan(*training);
    run_steps(*training, 2);
}

// Asks with the n-th allocation failing, for every n until none is left to fail.
template <class Knob>
void fail_each_allocation(const TrainerConfig& config, const Knob& knob, int least_refusals) {
    int refusals = 0;
    for (int n = 0;; ++n) {
        SCOPED_TRACE("allocation " + std::to_string(n));
        Twins twins(config);
        twins.asked->arena().fail_allocation(n);
        const Result<void> result = twins.asked->set(knob);
        twins.asked->arena().fail_allocation(std::nullopt);
        if (result) {
            expect_ledger_equals_plan(*twins.asked);
            ASSERT_TRUE(twins.other->set(knob));
            twins.expect_the_same();
            if (n > 60) {
                break;  // more than there are
            }
        } else {
            ++refusals;
            EXPECT_EQ(result.error().code, ErrorCode::out_of_memory);
            twins.expect_the_same();
        }
    }
    EXPECT_GE(refusals, least_refusals);
}

TEST(TrainingKnobs, AnyAllocationThatFailsForAMicroBatchLeavesTrainingAsItWas) {
    TrainerConfig config = small_config(small_bn_cnn());
    config.memory_budget = planned_total(*make_training(config), 20);  // never both
    fail_each_allocation(config, SetMicroBatch{20}, 8);
}

TEST(TrainingKnobs, AnyAllocationThatFailsWithoutABudgetIsTriedAgainAfterTheOldIsFreed) {
    fail_each_allocation(small_config(), SetMicroBatch{20}, 0);
}

TEST(TrainingKnobs, AnyAllocationThatFailsForAnOptimizerLeavesTrainingAsItWas) {
    fail_each_allocation(small_config(),
                         SetOptimizer{.kind = OptimizerKind::adam, .learning_rate = {}}, 1);
}

class FailingAllocator final : public RawAllocator {
  public:
    void* allocate(std::int64_t bytes) override {
        if (left == 0) {
            return nullptr;
        }
        --left;
        ++live;
        return host_allocator().allocate(bytes);
    }
    void release(void* data, std::int64_t bytes) override {
        --live;
        host_allocator().release(data, bytes);
    }
    int left = 1000000;
    int live = 0;
};

TEST(TrainingKnobs, ATrainingThatCannotBeAllocatedGivesBackWhatItTook) {
    FailingAllocator allocator;
    int failed = 0;
    for (int n = 0;; ++n) {
        allocator.left = n;
        const auto training =
            Training::create(small_config(), banded_images(), host_runtime(allocator));
        if (training) {
            break;
        }
        ++failed;
        EXPECT_EQ(training.error().code, ErrorCode::out_of_memory);
        EXPECT_EQ(allocator.live, 0);
    }
    EXPECT_GT(failed, 8);
    EXPECT_EQ(allocator.live, 0);
}

TEST(TrainingKnobs, WhenTheOldSettingCannotComeBackTheTrainingSaysThatItFailed) {
    FailingAllocator allocator;
    const auto training =
        Training::create(small_config(), banded_images(), host_runtime(allocator)).value();
    run_steps(*training, 2);
    const Parameters before = training->parameters();
    allocator.left = 0;
    EXPECT_FALSE(training->set(SetMicroBatch{8}));
    EXPECT_THAT(training->failure(), HasSubstr("cannot come back"));
    EXPECT_EQ(training->parameters(), before);
}

TEST(TrainingKnobs, ANewOptimizerStartsWithClearedStateAndItsFirstStep) {
    // Each step sees the whole data set in the same order, so that where it begins does not matter.
    TrainerConfig config = small_config(small_cnn(), 96);
    config.shuffle = false;
    const auto changed = make_training(config);
    run_steps(*changed, 5);
    config.optimizer.kind = OptimizerKind::adam;
    config.optimizer.learning_rate = 0.002F;
    const auto fresh = make_training(config);
    ASSERT_TRUE(fresh->set_parameters(changed->parameters()));
    ASSERT_TRUE(changed->set(SetOptimizer{.kind = OptimizerKind::adam, .learning_rate = 0.002}));
    run_steps(*changed, 3);
    run_steps(*fresh, 3);
    EXPECT_EQ(changed->parameters(), fresh->parameters());
    EXPECT_EQ(changed->telemetry()->annotations()[0].text(), "optimizer momentum -> adam");
    EXPECT_EQ(changed->telemetry()->annotations()[1].text(), "learning_rate 0.05 -> 0.002");
}

TEST(TrainingKnobs, AVariantTurnedWhileTrainingIsWhatRuns) {
    const auto training = make_training(small_config());
    ASSERT_TRUE(training->set(SetVariant{"conv_relu_pool", "separate"}));
    ASSERT_TRUE(training->set(SetVariant{"conv2d", "direct"}));
    EXPECT_EQ(training->variants_used().at("conv2d"), "direct");
    EXPECT_EQ(training->variants_used().at("conv_relu_pool"), "separate");
    ASSERT_TRUE(training->set(SetVariant{"conv2d", "auto"}));
    EXPECT_EQ(training->knobs().variants.of("conv2d"), "auto");
    EXPECT_THAT(training->telemetry()->annotations()[1].text(),
                HasSubstr("conv2d variant auto -> direct"));
}

TEST(TrainingKnobs, ABatchNormFusedWithItsReluLearnsWhatBothApartDo) {
    const auto training_with = [](const char* variant) {
        TrainerConfig config = small_config(small_bn_cnn());
        config.variants.set("batch_norm_relu", variant);
        return make_training(config);
    };
    const auto always_apart = training_with("separate");
    const auto turned = training_with("separate");
    run_steps(*always_apart, 12);
    run_steps(*turned, 4);
    ASSERT_TRUE(turned->set(SetVariant{"batch_norm_relu", "fused_relu"}));
    EXPECT_EQ(turned->variants_used().at("batch_norm_relu"), "fused_relu");
    EXPECT_EQ(turned->variants_used().count("batch_norm"), 0u);
    EXPECT_EQ(turned->variants_used().count("relu"), 0u);
    run_steps(*turned, 4);
    ASSERT_TRUE(turned->set(SetVariant{"batch_norm", "naive"}));  // a part, chosen by its name
    EXPECT_EQ(turned->variants_used().at("batch_norm_relu"), "fused_relu");
    ASSERT_TRUE(turned->set(SetVariant{"batch_norm_relu", "auto"}));
    EXPECT_EQ(turned->variants_used().at("batch_norm_relu"), "separate");
    EXPECT_EQ(turned->variants_used().at("batch_norm"), "naive");
    run_steps(*turned, 4);
    for (Training* const training : {always_apart.get(), turned.get()}) {
        ASSERT_TRUE(training->evaluate([] { return false; }));
    }
    EXPECT_THAT(column(*turned->telemetry(), Metric::loss),
                Pointwise(DoubleNear(1e-5), column(*always_apart->telemetry(), Metric::loss)));
    EXPECT_NEAR(turned->telemetry()->evaluations()[0].loss,
                always_apart->telemetry()->evaluations()[0].loss, 1e-5);
    const Parameters expected = always_apart->parameters();
    for (const auto& [name, values] : turned->parameters()) {
        EXPECT_THAT(values, Pointwise(FloatNear(1e-5F), expected.at(name))) << name;
    }
}

// The first layer wants no dx, the second has no bias.
TEST(TrainingKnobs, ADenseLayerFusedWithItsReluLearnsWhatBothApartDo) {
    for (const std::int64_t micro_batch : {1, 16}) {
        SCOPED_TRACE(micro_batch);
        TrainerConfig config = small_config(small_mlp(), micro_batch);
        config.variants.set("dense_relu", "separate");
        const auto always_apart = make_training(config);
        const auto turned = make_training(config);
        run_steps(*always_apart, 12);
        run_steps(*turned, 4);
        const MemoryUsage apart = turned->arena().in_use();
        ASSERT_TRUE(turned->set(SetVariant{"dense_relu", "blocked"}));
        EXPECT_EQ(turned->variants_used().at("dense_relu"), "blocked");
        EXPECT_EQ(turned->variants_used().count("relu"), 0u);
        EXPECT_EQ(turned->variants_used().count("dense"), 1u) << "the last layer";
        EXPECT_EQ(turned->arena().in_use(),
                  plan_memory(turned->graph(), turned->plan_settings()).value().usage);
        EXPECT_LE(turned->arena().in_use()[MemoryCategory::activations],
                  apart[MemoryCategory::activations]);
        run_steps(*turned, 4);
        ASSERT_TRUE(turned->set(SetVariant{"dense_relu", "auto"}));
        EXPECT_EQ(turned->variants_used().at("dense_relu"), "separate");
        run_steps(*turned, 4);
        EXPECT_THAT(column(*turned->telemetry(), Metric::loss),
                    Pointwise(DoubleNear(1e-5), column(*always_apart->telemetry(), Metric::loss)));
        const Parameters expected = always_apart->parameters();
        for (const auto& [name, values] : turned->parameters()) {
            EXPECT_THAT(values, Pointwise(FloatNear(1e-5F), expected.at(name))) << name;
        }
    }
}

}  // namespace
}  // namespace trainscope
