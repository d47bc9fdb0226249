// SPDX-License-Identifier: GPL-3.0-or-later
// A step recorded as CUDA graphs and replayed: the same bits, and recorded no oftener than needed.
#include "engine/cuda/emulation/graph.h"

#include <gmock/gmock.h>

#include <thread>

#include "engine/core/device_backend.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/runtime_api.h"
#include "tests/cuda/emulated_device.h"
#include "tests/train/small_training.h"

namespace trainscope {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class GraphTraining : public ::testing::Test {
  protected:
    GraphTraining() { reset_emulated_device(); }
    ~GraphTraining() override { reset_emulated_device(); }

    // 96 images: 4 full micro-batches of 20 an epoch, and one of 16.
    static TrainerConfig config(const char* graph, ModelSpec model = small_bn_cnn()) {
        TrainerConfig config = small_config(std::move(model), 20);
        config.device = find_device("emulated").value();
        config.variants.set("graph", graph);
        return config;
    }
    static std::unique_ptr<Training> create(const TrainerConfig& config) {
        return Training::create(config, banded_images(), open_device(config.device).value())
            .value();
    }
    static std::vector<Annotation> events(const Training& training) {
        std::vector<Annotation> events = training.telemetry()->annotations();
        std::erase_if(events, [](const Annotation& a) { return a.kind != AnnotationKind::event; });
        return events;
    }
    static void expect_same(Training& one, Training& other) {
        one.settle();
        other.settle();
        EXPECT_EQ(one.failure(), "");
        EXPECT_EQ(one.parameters(), other.parameters());
        EXPECT_EQ(column(*one.telemetry(), Metric::loss), column(*other.telemetry(), Metric::loss));
        EXPECT_EQ(column(*one.telemetry(), Metric::gradient_norm),
                  column(*other.telemetry(), Metric::gradient_norm));
    }
};

TEST_F(GraphTraining, LearnsTheSameBitsAsWithoutWithShortBatchesAndAnyAccumulation) {
    for (const ModelSpec& model : {small_cnn(), small_bn_cnn(), dense_bn()}) {
        for (const std::int64_t accumulation : {1, 3}) {
            SCOPED_TRACE(model.name + " " + std::to_string(accumulation));
            std::unique_ptr<Training> by[2];
            for (const bool on : {false, true}) {
                TrainerConfig wanted = config(on ? "on" : "off", model);
                wanted.accumulation = accumulation;
                by[on ? 1 : 0] = create(wanted);
                run_steps(*by[on ? 1 : 0], 11);
            }
            EXPECT_EQ(by[0]->recorded_parts(), 0);
            EXPECT_EQ(by[1]->recorded_parts(), 3) << "two batch sizes and the update";
            expect_same(*by[1], *by[0]);
        }
    }
}

TEST_F(GraphTraining, ProductsOfALibraryAreReplayedToo) {
    for (const auto& [op, variant] : {std::pair("dense", "cublas"), std::pair("dense", "cublaslt"),
                                      std::pair("conv2d", "fft"), std::pair("conv2d", "cudnn")}) {
        SCOPED_TRACE(variant);
        std::unique_ptr<Training> by[2];
        for (const bool on : {false, true}) {
            TrainerConfig wanted = config(on ? "on" : "off");
            wanted.variants.set(op, variant);
            by[on ? 1 : 0] = create(wanted);
            run_steps(*by[on ? 1 : 0], 11);
            EXPECT_EQ(by[on ? 1 : 0]->variants_used().at(op), variant);
        }
        EXPECT_EQ(by[1]->recorded_parts(), 3);
        expect_same(*by[1], *by[0]);
    }
}

TEST_F(GraphTraining, EveryOptimizerReadsTheStepsValuesAnew) {
    for (const OptimizerKind kind : all_optimizers) {
        SCOPED_TRACE(name_of(kind));
        std::unique_ptr<Training> by[2];
        for (const bool on : {false, true}) {
            auto& training = by[on ? 1 : 0] = create(config(on ? "on" : "off"));
            run_steps(*training, 3);
            ASSERT_TRUE(training->set(SetOptimizer{.kind = kind, .learning_rate = 0.01}));
            run_steps(*training, 5);
        }
        expect_same(*by[1], *by[0]);
    }
}

TEST_F(GraphTraining, KnobsTurnedInMidRunGiveTheSameBits) {
    std::unique_ptr<Training> by[2];
    for (const bool on : {false, true}) {
        auto& training = by[on ? 1 : 0] = create(config(on ? "on" : "off"));
        run_steps(*training, 6);
        ASSERT_TRUE(training->set(SetLearningRate{0.02}));
        run_steps(*training, 3);
        ASSERT_TRUE(training->set(SetMicroBatch{7}));
        run_steps(*training, 5);
        ASSERT_TRUE(training->set(SetVariant{"conv2d", "direct"}));
        run_steps(*training, 5);
        ASSERT_TRUE(training->set(SetAccumulation{3}));
        run_steps(*training, 6);
        ASSERT_TRUE(training->evaluate([] { return false; }));
        run_steps(*training, 3);
    }
    expect_same(*by[1], *by[0]);
    EXPECT_EQ(by[1]->telemetry()->evaluations()[0].loss, by[0]->telemetry()->evaluations()[0].loss);
}

TEST_F(GraphTraining, ALearningRateOrAnAccumulationRecordsNothing) {
    const auto training = create(config("on"));
    run_steps(*training, 12);
    const std::uint64_t graphs = emulation::instantiated_graphs();
    EXPECT_EQ(training->recorded_parts(), 3);
    ASSERT_TRUE(training->set(SetLearningRate{0.02}));
    run_steps(*training, 6);
    ASSERT_TRUE(training->set(SetAccumulation{3}));
    run_steps(*training, 6);
    ASSERT_TRUE(training->set(SetAccumulation{1}));
    run_steps(*training, 6);
    EXPECT_EQ(training->recorded_parts(), 3);
    EXPECT_EQ(emulation::instantiated_graphs(), graphs);
}

TEST_F(GraphTraining, ABatchSizeOrAVariantIsRecordedAnewAndTheOldIsForgotten) {
    const auto training = create(config("on"));
    run_steps(*training, 12);
    const std::int64_t live = emulation::live_graphs();
    ASSERT_TRUE(training->set(SetMicroBatch{32}));  // 3 an epoch, none short once it is through
    run_steps(*training, 9);
    const std::int64_t after_size = training->recorded_parts();
    EXPECT_GT(after_size, 3);
    EXPECT_LE(emulation::live_graphs(), live);
    ASSERT_TRUE(training->set(SetVariant{"dense", training->variants_used().at("dense")}));
    run_steps(*training, 9);
    EXPECT_EQ(training->recorded_parts(), after_size + 2);
    run_steps(*training, 9);
    EXPECT_EQ(training->recorded_parts(), after_size + 2);
}

TEST_F(GraphTraining, AKernelIsLaunchedByItselfOnlyWhileItIsOff) {
    const auto training = create(config("auto"));
    EXPECT_EQ(training->variants_used().at("graph"), "off");
    run_steps(*training, 4);
    ASSERT_TRUE(training->set(SetVariant{"graph", "on"}));
    EXPECT_EQ(training->variants_used().at("graph"), "on");
    run_steps(*training, 4);
    EXPECT_GT(emulation::live_graphs(), 0);
    ASSERT_TRUE(training->set(SetVariant{"graph", "off"}));
    EXPECT_EQ(emulation::live_graphs(), 0);
    const auto knobs = training->telemetry()->annotations();
    ASSERT_EQ(knobs.size(), 2u);
    EXPECT_EQ(knobs[0].what, "graph variant");
    EXPECT_EQ(knobs[0].from, "auto");
    EXPECT_EQ(knobs[1].to, "off");
}

TEST_F(GraphTraining, OperatorsAreTimedOneByOneWhileTheRestIsReplayed) {
    const auto training = create(config("on"));
    run_steps(*training, 4);
    std::this_thread::sleep_for(OperatorTimer::interval);
    run_steps(*training, OperatorTimer::replays + 1);
    training->settle();
    const OperatorTimes& times = training->telemetry()->operator_times();
    ASSERT_GE(times.rows(), 2u);
    EXPECT_GT(times.seconds(1, 0, Pass::forward), 0);
    EXPECT_GT(times.seconds(1, 0, Pass::backward), 0);
    EXPECT_GT(emulation::live_graphs(), 0);
}

// Each step takes longer than the interval in which operators are timed.
TEST_F(GraphTraining, StepsOfASlowDeviceAreRecordedAndMostOfThemReplayed) {
    const auto training = create(config("on"));
    for (int step = 0; step < 12; ++step) {
        std::this_thread::sleep_for(OperatorTimer::interval);
        run_steps(*training, 1);
    }
    training->settle();
    EXPECT_EQ(training->recorded_parts(), 3);
    EXPECT_LE(training->telemetry()->operator_times().rows(), 3u);
}

TEST_F(GraphTraining, TheHostWaitsForNothingInARecordedStep) {
    const auto training = create(config("on"));
    run_steps(*training, 12);
    const std::uint64_t waits = emulation::wait_count();
    const std::int64_t used = emulation::device_memory().used;
    run_steps(*training, 12);
    EXPECT_EQ(emulation::wait_count(), waits);
    EXPECT_EQ(emulation::device_memory().used, used);
}

// Whichever graph finds no memory, the training goes on without, and says so once.
TEST_F(GraphTraining, WithoutMemoryForAGraphItGoesOnWithoutGraphs) {
    const auto undisturbed = create(config("off"));
    run_steps(*undisturbed, 12);
    int n = 0;
    for (;; ++n) {
        SCOPED_TRACE(n);
        const auto training = create(config("on"));
        run_steps(*training, 1);
        emulation::fail_device_allocation(n);
        run_steps(*training, 11);
        const bool failed = emulation::fail_device_allocation(std::nullopt);
        expect_same(*training, *undisturbed);
        if (!failed) {
            EXPECT_EQ(training->variants_used().at("graph"), "on");
            break;
        }
        EXPECT_EQ(training->variants_used().at("graph"), "off");
        EXPECT_EQ(emulation::live_graphs(), 0);
        ASSERT_EQ(events(*training).size(), 1u);
        EXPECT_EQ(events(*training)[0].what, "graph");
        EXPECT_THAT(events(*training)[0].reason, HasSubstr("out of memory"));
        ASSERT_TRUE(training->set(SetVariant{"graph", "on"}));
        run_steps(*training, 1);
        EXPECT_GT(emulation::live_graphs(), 0);
    }
    EXPECT_GT(n, 0);
}

// The n-th allocation of a knob that needs other memory, and of what is recorded after it, for
// every n that there is.
TEST_F(GraphTraining, AnAllocationThatFailsWhileAKnobIsTurnedChangesNoParameter) {
    std::unique_ptr<Training> undisturbed[2];
    for (const bool applied : {false, true}) {
        auto& training = undisturbed[applied ? 1 : 0] = create(config("off"));
        run_steps(*training, 7);
        if (applied) {
            ASSERT_TRUE(training->set(SetMicroBatch{24}));
        }
        run_steps(*training, 6);
    }
    int n = 0;
    for (;; ++n) {
        SCOPED_TRACE(n);
        const auto training = create(config("on"));
        run_steps(*training, 7);
        emulation::fail_device_allocation(n);
        const bool applied = training->set(SetMicroBatch{24}).has_value();
        run_steps(*training, 6);
        const bool failed = emulation::fail_device_allocation(std::nullopt);
        expect_same(*training, *undisturbed[applied ? 1 : 0]);
        if (!failed) {
            EXPECT_TRUE(applied);
            break;
        }
    }
    EXPECT_GT(n, 0);
}

// A plan of transforms takes device memory when its kernel is made, and so does cuDNN.
TEST_F(GraphTraining, AnAllocationThatFailsWhileAVariantOfALibraryIsChosenChangesNoParameter) {
    for (const char* const variant : {"fft", "cudnn"}) {
        SCOPED_TRACE(variant);
        std::unique_ptr<Training> undisturbed[2];
        for (const bool applied : {false, true}) {
            auto& training = undisturbed[applied ? 1 : 0] = create(config("off"));
            run_steps(*training, 2);
            if (applied) {
                ASSERT_TRUE(training->set(SetVariant{"conv2d", variant}));
            }
            run_steps(*training, 2);
        }
        int refused = 0;
        for (int n = 0;; ++n) {
            SCOPED_TRACE(n);
            const auto training = create(config("off"));
            run_steps(*training, 2);
            emulation::fail_device_allocation(n);
            const auto set = training->set(SetVariant{"conv2d", variant});
            const bool failed = emulation::fail_device_allocation(std::nullopt);
            refused += set ? 0 : 1;
            run_steps(*training, 2);
            expect_same(*training, *undisturbed[set ? 1 : 0]);
            if (!failed) {
                EXPECT_TRUE(set);
                break;
            }
        }
        EXPECT_GT(refused, 0);
    }
}

TEST_F(GraphTraining, ADeviceThatBreaksDownInAReplayEndsTheTraining) {
    const auto training = create(config("on"));
    run_steps(*training, 8);
    emulation::report_fault(emulation::FaultKind::race, "the test's");
    run_steps(*training, 1);
    EXPECT_THAT(training->failure(), HasSubstr("The device failed at"));
}

TEST(GraphKnob, IsUnknownOnTheCpu) {
    const auto training = make_training(small_config());
    const Result<void> refused = training->set(SetVariant{"graph", "on"});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("no operator 'graph' on cpu"));
    EXPECT_EQ(training->variants_used().count("graph"), 0u);
}

}  // namespace
}  // namespace trainscope
