// SPDX-License-Identifier: GPL-3.0-or-later
// What a training records: append-only, with one writer (the trainer). Any thread follows steps and
// evaluations without a lock; annotations, which are rare, take a mutex.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/column.h"
#include "engine/core/memory.h"
#include "engine/train/operator_times.h"

namespace trainscope {

// What is recorded of every optimizer step. The order is that of the columns in files.
enum class Metric : std::uint8_t {
    step,            // optimizer steps finished, this one included (1, 2, ...)
    samples,         // samples trained on so far
    epoch,           // samples / train samples of the data set
    active_seconds,  // time spent training, without pauses and evaluations
    loss,            // mean over the step's samples, before the update
    batch_samples,   // N of the step: all micro-batches of its window
    micro_batch,
    accumulation,        // micro-batches of the window
    samples_per_second,  // of this step: N / its active time
    data_seconds,        // waiting for the loader
    forward_seconds,     // loss included
    backward_seconds,
    optimizer_seconds,
    learning_rate,
    gradient_norm,      // L2 over all parameters of the gradient used by the step
    memory_parameters,  // bytes in use, by category
    memory_gradients,
    memory_optimizer_state,
    memory_activations,
    memory_workspace,
    memory_input,
    memory_peak,  // bytes, the largest total since the last change of a knob
};
inline constexpr std::size_t metric_count = static_cast<std::size_t>(Metric::memory_peak) + 1;

struct MetricInfo {
    Metric metric;
    std::string_view name;  // in files: "samples_per_second"
    std::string_view unit;  // "s", "bytes", "samples/s", ""
    bool is_time = false;   // measured by a clock: differs between runs that are otherwise the same
};
const std::array<MetricInfo, metric_count>& metric_table();

using StepSample = std::array<double, metric_count>;

struct EvaluationSample {
    double step = 0, samples = 0, epoch = 0, active_seconds = 0;
    double loss = 0, accuracy = 0;  // accuracy in 0..1
    double seconds = 0;             // how long it took
};

enum class AnnotationKind : std::uint8_t {
    knob,   // turned by someone, applied or refused
    event,  // of the training itself: the loss became NaN
    error,
};
std::string_view name_of(AnnotationKind kind);  // "knob", "event", "error"

// A knob turned, or something that happened, to be drawn on every chart and kept in the log.
struct Annotation {
    double step = 0, samples = 0, epoch = 0, active_seconds = 0;
    AnnotationKind kind = AnnotationKind::knob;
    // The knob ("micro_batch", "conv2d variant"), or in a word or two what happened ("error").
    std::string what;
    std::string from;  // of a knob
    std::string to;
    bool refused = false;  // then `to` is what was asked for and `reason` says why not
    std::string reason;    // of an event or error: what happened, as a sentence
    // "micro_batch 32 -> 64", with the reason when refused; the sentence of an event or error.
    std::string text() const;
};

class Telemetry {
  public:
    explicit Telemetry(std::vector<TimedOperator> operators = {});

    // Readers, any thread.
    std::size_t steps() const { return columns_.back().size(); }  // whole rows
    // index < steps() seen before.
    double at(Metric metric, std::size_t index) const {
        return columns_[static_cast<std::size_t>(metric)][index];
    }
    const Column<double>& column(Metric metric) const {
        return columns_[static_cast<std::size_t>(metric)];
    }
    const Column<EvaluationSample>& evaluations() const { return evaluations_; }
    std::size_t annotation_count() const {
        return annotation_count_.load(std::memory_order_acquire);
    }
    // Annotations [begin, annotation_count()).
    std::vector<Annotation> annotations(std::size_t begin = 0) const;
    const OperatorTimes& operator_times() const { return operator_times_; }
    // Unix seconds of the start of the run.
    double started_at() const { return started_at_; }

    // Writer only: the trainer's thread.
    // So that the next `steps` steps can be appended whatever happens.
    void make_room(std::size_t steps);
    void append(const StepSample& sample);
    void append(const EvaluationSample& sample) { evaluations_.append(sample); }
    void append(Annotation annotation);
    OperatorTimes& operator_times() { return operator_times_; }

  private:
    std::array<Column<double>, metric_count> columns_;
    Column<EvaluationSample> evaluations_;
    OperatorTimes operator_times_;
    mutable std::mutex annotations_mutex_;  // steps never take it
    std::vector<Annotation> annotations_;
    std::atomic<std::size_t> annotation_count_{0};
    double started_at_ = 0;
};

}  // namespace trainscope
