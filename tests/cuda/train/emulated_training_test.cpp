// SPDX-License-Identifier: GPL-3.0-or-later
// Training on the emulated device, from the outside: as on the CPU, but on a device of its own.
#include <gmock/gmock.h>

#include "engine/core/device_backend.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/runtime_api.h"
#include "tests/cuda/emulated_device.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

class EmulatedTraining : public ::testing::Test {
  protected:
    EmulatedTraining() { reset_emulated_device(); }
    ~EmulatedTraining() override { reset_emulated_device(); }

    static TrainerConfig config(ModelSpec model = small_bn_cnn()) {
        TrainerConfig config = small_config(std::move(model));
        config.device = find_device("emulated").value();
        config.accumulation = 2;
        return config;
    }
    static std::unique_ptr<Training> create(const TrainerConfig& config) {
        return Training::create(config, banded_images(), open_device(config.device).value())
            .value();
    }
};

TEST_F(EmulatedTraining, IsAnswerableForByTheCpu) {
    for (const ModelSpec& model : {small_cnn(), small_bn_cnn(), dense_bn()}) {
        SCOPED_TRACE(model.name);
        TrainerConfig on_cpu = config(model);
        on_cpu.device = cpu_device();
        const auto cpu = make_training(on_cpu);
        const auto emulated = create(config(model));
        for (Training* const training : {cpu.get(), emulated.get()}) {
            run_steps(*training, 8);
            training->settle();
            ASSERT_TRUE(training->evaluate([] { return false; }));
        }
        EXPECT_EQ(emulated->failure(), "");
        EXPECT_THAT(column(*emulated->telemetry(), Metric::loss),
                    Pointwise(DoubleNear(1e-4), column(*cpu->telemetry(), Metric::loss)));
        EXPECT_NEAR(emulated->telemetry()->evaluations()[0].loss,
                    cpu->telemetry()->evaluations()[0].loss, 1e-4);
    }
}

TEST_F(EmulatedTraining, AFusedOperatorLearnsWhatSeparateOnesDo) {
    struct Fused {
        ModelSpec model;
        const char* op = nullptr;
        const char* variant = nullptr;
        const char* part = nullptr;
    };
    for (const Fused& of : {Fused{small_cnn(), "conv_relu_pool", "fused_direct", "conv2d"},
                            Fused{small_bn_cnn(), "batch_norm_relu", "fused_relu", "batch_norm"},
                            Fused{small_mlp(), "dense_relu", "cublaslt", "relu"}}) {
        SCOPED_TRACE(of.op);
        std::unique_ptr<Training> by[2];
        for (const bool fused : {false, true}) {
            TrainerConfig wanted = config(of.model);
            wanted.variants.set(of.op, fused ? of.variant : "separate");
            auto& training = by[fused ? 1 : 0] = create(wanted);
            run_steps(*training, 12);
            training->settle();
            ASSERT_TRUE(training->evaluate([] { return false; }));
            EXPECT_EQ(training->failure(), "");
            EXPECT_EQ(training->variants_used().count(of.part), fused ? 0u : 1u);
        }
        EXPECT_THAT(column(*by[1]->telemetry(), Metric::loss),
                    Pointwise(DoubleNear(1e-5), column(*by[0]->telemetry(), Metric::loss)));
        EXPECT_NEAR(by[1]->telemetry()->evaluations()[0].loss,
                    by[0]->telemetry()->evaluations()[0].loss, 1e-5);
        const Parameters separate = by[0]->parameters();
        for (const auto& [name, values] : by[1]->parameters()) {
            EXPECT_THAT(values, Pointwise(::testing::FloatNear(1e-5F), separate.at(name))) << name;
        }
    }
}

TEST_F(EmulatedTraining, TheSameSeedGivesTheSameBits) {
    const auto one = create(config());
    const auto other = create(config());
    run_steps(*one, 6);
    run_steps(*other, 6);
    one->settle();
    other->settle();
    EXPECT_EQ(one->parameters(), other->parameters());
}

TEST_F(EmulatedTraining, TheHostDoesNotWaitForTheDeviceInAStep) {
    const auto training = create(config());
    run_steps(*training, 4);
    const std::uint64_t waits = emulation::wait_count();
    run_steps(*training, 12);
    EXPECT_EQ(emulation::wait_count(), waits);
}

TEST_F(EmulatedTraining, PlanAndLedgerAgreeToTheByte) {
    for (const std::int64_t micro_batch : {1, 7, 32}) {
        TrainerConfig wanted = config(small_cnn());
        wanted.micro_batch = micro_batch;
        const auto training = create(wanted);
        const MemoryPlan plan = plan_memory(training->graph(), training->plan_settings()).value();
        EXPECT_EQ(training->arena().in_use(), plan.usage);
    }
}

TEST_F(EmulatedTraining, WhatIsReservedWhatIsInUseAndWhatOthersTookAreToldApart) {
    const auto training = create(config());
    run_steps(*training, 2);
    const MemoryReport before = training->device_memory().value();
    EXPECT_EQ(before.total, emulation::device_memory().total);
    constexpr std::int64_t of_allocator = 64 << 10;  // what the device rounds allocations up to
    EXPECT_LT(before.others(), of_allocator);
    EXPECT_EQ(before.reserved, training->arena().in_use().total());
    ASSERT_TRUE(training->set(SetMicroBatch{4}));
    // What is no longer in use is kept.
    const MemoryReport after = training->device_memory().value();
    EXPECT_GE(after.reserved, before.reserved);
    EXPECT_LT(training->arena().in_use().total(), after.reserved);
    void* const taken = emulation::device_allocate(1 << 20);
    const MemoryReport beside = training->device_memory().value();
    EXPECT_EQ(beside.reserved, after.reserved);
    EXPECT_GE(beside.others() - after.others(), 1 << 20);
    EXPECT_LT(beside.others() - after.others(), (1 << 20) + of_allocator);
    EXPECT_EQ(beside.available - after.available, after.others() - beside.others());
    emulation::device_release(taken);
}

TEST_F(EmulatedTraining, ATrainersStatusSaysWhatItsDeviceHas) {
    const auto trainer = make_trainer(config());
    ASSERT_TRUE(wait_until([&] { return trainer->status().step > 2; }));
    const TrainerStatus status = trainer->status();
    ASSERT_TRUE(status.device_memory);
    EXPECT_EQ(status.device_memory->total, emulation::device_memory().total);
    EXPECT_GE(status.device_memory->reserved, status.memory.total());
}

TEST_F(EmulatedTraining, ADeviceWithoutEnoughMemoryRefusesTheMicroBatchAndTrainsOn) {
    const auto training = create(config());
    const auto undisturbed = create(config());
    run_steps(*training, 2);
    const std::int64_t used = emulation::device_memory().used;
    emulation::set_device_memory(used + 65536);
    const Result<void> refused = training->set(SetMicroBatch{96});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
    EXPECT_EQ(training->failure(), "");
    run_steps(*training, 4);
    training->settle();
    run_steps(*undisturbed, 6);
    undisturbed->settle();
    EXPECT_EQ(training->parameters(), undisturbed->parameters());
}

TEST_F(EmulatedTraining, ADeviceThatBreaksDownEndsItAndKeepsWhatWasRecorded) {
    const auto training = create(config());
    run_steps(*training, 5);
    training->settle();
    cuda::note(cuda::cudaErrorLaunchFailure, "kernel");
    run_steps(*training, 1);
    EXPECT_THAT(training->failure(), HasSubstr("The device failed at"));
    EXPECT_EQ(training->telemetry()->steps(), 5u);
    EXPECT_EQ(training->steps(), 5);
}

TEST_F(EmulatedTraining, ATrainerTrainsOnItByItsName) {
    TrainerConfig wanted = config(small_cnn());
    wanted.epochs = 2;
    const auto trainer = make_trainer(wanted);
    trainer->wait();
    EXPECT_EQ(trainer->status().state, TrainerState::finished) << trainer->status().error;
    EXPECT_EQ(trainer->telemetry()->evaluations().size(), 2u);
    EXPECT_TRUE(trainer->parameters());
}

}  // namespace
}  // namespace trainscope
