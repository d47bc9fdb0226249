// SPDX-License-Identifier: GPL-3.0-or-later
// A training without its thread: model, memory, loader and telemetry, moved on one optimizer step
// at a time, with knobs that can be turned between steps. Not thread-safe: Trainer runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/arena.h"
#include "engine/core/device_runtime.h"
#include "engine/core/result.h"
#include "engine/data/loader.h"
#include "engine/model/graph.h"
#include "engine/train/batch_feed.h"
#include "engine/train/command.h"
#include "engine/train/network.h"
#include "engine/train/operator_timer.h"
#include "engine/train/parameter_table.h"
#include "engine/train/recorder.h"
#include "engine/train/step_queue.h"
#include "engine/train/telemetry.h"
#include "engine/train/trainer.h"
#include "engine/train/training_memory.h"

namespace trainscope {

// The knobs, as they are now.
struct Knobs {
    std::int64_t micro_batch = 32;
    std::int64_t accumulation = 1;
    OptimizerSettings optimizer;
    VariantChoice variants;
    std::optional<std::int64_t> memory_budget;
    std::int64_t evaluation_interval = 0;

    bool operator==(const Knobs&) const = default;
};

class Training {
  public:
    // Runs on `runtime`, which must be that of the configured device. Errors: as Trainer::create.
    static Result<std::unique_ptr<Training>> create(
        TrainerConfig config, std::shared_ptr<const Dataset> dataset,
        std::unique_ptr<DeviceRuntime> runtime = host_runtime());
    ~Training();
    Training(const Training&) = delete;
    Training& operator=(const Training&) = delete;

    // One optimizer step: `accumulation` micro-batches, fewer at the end of an epoch. False when it
    // was interrupted, or when parameters were set meanwhile: all is then as it was before the
    // step, and the next one begins with the same samples.
    bool step(const Interrupted& interrupted);
    // Called by the thread that runs it from now on.
    void attach_thread() { runtime_->attach_thread(); }
    // Called by what a step asks, before and after it lets the step wait: that time is no training.
    void rest();
    void go_on() { queue_.begin(); }
    // Waits for the device and records all steps that it was given. It may run up to
    // StepQueue::most_steps behind; after this telemetry is complete.
    void settle();
    // Says what the last step had seen when it was interrupted, if it had seen a micro-batch.
    void annotate_dropped();
    // After a step: whether an evaluation is due. Never without a test split.
    bool evaluation_due() const;
    // Runs the test split through the network as it is. False, and nothing recorded, when it was
    // interrupted. Needs a test split. An exception leaves all as it was.
    bool evaluate(const Interrupted& interrupted);
    // Whether all epochs or steps that were asked for are done.
    bool finished() const;
    // The next step's active time starts when it starts. Called after anything that is not
    // training.
    void break_time() { contiguous_ = false; }

    // Turns a knob and annotates it, applied or refused. On an error everything is as it was.
    // A failure to go back after running out of memory leaves `failure` set.
    Result<void> set(const SetMicroBatch& command);
    Result<void> set(const SetAccumulation& command);
    Result<void> set(const SetLearningRate& command);
    Result<void> set(const SetOptimizer& command);
    Result<void> set(const SetVariant& command);
    Result<void> set(const SetMemoryBudget& command);
    Result<void> set(const SetEvaluationInterval& command);
    // Empty, or why this training cannot go on: one sentence.
    const std::string& failure() const { return failure_; }
    void fail(const std::string& reason);
    void annotate(AnnotationKind kind, std::string what, std::string reason);

    // While a step waits: as they were before it, and what is set has it begin again.
    std::map<std::string, std::vector<float>> parameters() const;
    Result<void> set_parameters(const std::map<std::string, std::vector<float>>& values);

    const TrainerConfig& config() const { return config_; }
    const Graph& graph() const { return graph_; }
    const Dataset& dataset() const { return *dataset_; }
    const std::shared_ptr<Telemetry>& telemetry() const { return telemetry_; }
    const Knobs& knobs() const { return knobs_; }
    // By operator, the optimizer included.
    std::map<std::string, std::string> variants_used() const;
    // Parts of a step recorded so far: the passes of a batch size, the update.
    std::int64_t recorded_parts() const { return recorder_.parts(); }
    // What a plan of the knobs as they are says; the ledger agrees with it.
    PlanSettings plan_settings() const { return plan_settings(knobs_); }
    std::optional<MemoryReport> device_memory() const { return runtime_->memory_report(); }
    Arena& arena() { return arena_; }
    const Arena& arena() const { return arena_; }
    SamplePosition position() const { return position_; }
    std::int64_t steps() const { return step_; }
    std::int64_t samples() const { return samples_; }
    double active_seconds() const { return active_seconds_; }  // of the steps recorded

  private:
    // What one accumulation window adds up.
    struct Window {
        std::int64_t micro_batches = 0;
        std::int64_t samples = 0;
        SamplePosition end;
        bool epoch_ended = false;
    };

    Training(TrainerConfig config, Graph graph, std::shared_ptr<const Dataset> dataset,
             std::unique_ptr<DeviceRuntime> runtime);
    Result<void> build();
    void initialize_parameters();
    float* place_of(const ParameterPlace& place) const;
    // Where its value lies that the last whole step left.
    float* kept_place_of(const ParameterPlace& place) const;
    void set_learning_rate(double value);
    Result<std::unique_ptr<OptimizerUpdate::Kernel>> optimizer_kernel(const Knobs& knobs) const;
    PlanSettings plan_settings(const Knobs& knobs) const;
    // The memory of these knobs, checked against the budget.
    Result<MemoryPlan> planned_memory(const Knobs& knobs) const;
    // The network of these knobs, checked against the budget, without memory.
    Result<Network> planned_network(const Knobs& knobs);
    Result<void> replace_network(const Knobs& knobs);
    // `old_is_whole`: whether an exception left the old network as it was.
    Result<void> replace_network(Knobs knobs, bool& old_is_whole);
    Result<void> allocate_instead_of_old(Network& network);
    Result<void> replace_optimizer(const Knobs& knobs);
    // Whether the device is to record a step and replay it.
    bool wants_recording(const Knobs& knobs) const;
    // Nothing of what was recorded holds any more; where it is on, it is tried anew.
    void record_anew();
    Result<void> set_recording(const std::string& choice);
    void notice_recording_failure();
    // Turns a knob and says so, applied or refused; nothing where it was there already.
    Result<void> annotated(std::string what, std::string from, std::string to,
                           const std::function<Result<void>()>& turn);
    void restart_loader();  // allocates nothing once it has run
    void begin_step();
    bool run_window(Window& window, const Interrupted& interrupted);
    void abandon(const Window& window);
    void update(const Window& window);
    std::int64_t evaluate_batches(const Interrupted& interrupted);
    // What is known of a step when it was given to the device.
    StepSample sample_of(const Window& window) const;
    // Records the steps that are done.
    void collect();
    void record(const FinishedStep& finished);
    void notice_loss(const StepSample& step, double loss);
    // Fails with what the device says, if it has failed.
    bool device_works();
    SampleBytes sample_bytes() const;
    void annotate(Annotation annotation);  // with the place where the training is

    std::unique_ptr<DeviceRuntime> runtime_;  // first, so that it ends last
    TrainerConfig config_;
    Graph graph_;
    std::shared_ptr<const Dataset> dataset_;
    ParameterTable table_;
    Arena arena_;
    ModelState state_;
    Recorder recorder_;
    std::unique_ptr<Network> network_;
    RecordedPart recorded_update_;
    std::unique_ptr<OptimizerUpdate::Kernel> optimizer_kernel_;
    BatchFeed feed_;
    StepQueue queue_;
    OperatorTimer operator_timer_;
    std::unique_ptr<Loader> loader_;  // last of those that touch memory, so that it ends first
    std::shared_ptr<Telemetry> telemetry_;

    Knobs knobs_;
    double learning_rate_ = 0;  // as written: 0.05, not the double next to the float 0.05F
    SamplePosition position_;
    std::int64_t step_ = 0;
    std::int64_t optimizer_step_ = 0;  // since the optimizer's state was last cleared
    std::int64_t samples_ = 0;
    std::int64_t recorded_steps_ = 0;
    std::int64_t recorded_samples_ = 0;
    double active_seconds_ = 0;
    bool time_operators_ = false;       // of the step's first micro-batch, if it is a full one
    bool contiguous_ = false;           // the last step ended just now: nothing happened since
    Phase phase_ = Phase::data;         // of the step that runs
    bool in_step_ = false;              // the kept running values are what the last step left
    bool begin_again_ = false;          // parameters were set in the middle of a step
    std::int64_t dropped_samples_ = 0;  // of the step that was interrupted last
    bool epoch_ended_ = false;
    bool loss_was_finite_ = true;
    std::string failure_;
};

}  // namespace trainscope
