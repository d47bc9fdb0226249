// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/telemetry.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace trainscope {

const std::array<MetricInfo, metric_count>& metric_table() {
    using enum Metric;
    static constexpr std::array<MetricInfo, metric_count> table = {{
        {step, "step", ""},
        {samples, "samples", ""},
        {epoch, "epoch", ""},
        {active_seconds, "active_seconds", "s", true},
        {loss, "loss", ""},
        {batch_samples, "batch_samples", ""},
        {micro_batch, "micro_batch", ""},
        {accumulation, "accumulation", ""},
        {samples_per_second, "samples_per_second", "samples/s", true},
        {data_seconds, "data_seconds", "s", true},
        {forward_seconds, "forward_seconds", "s", true},
        {backward_seconds, "backward_seconds", "s", true},
        {optimizer_seconds, "optimizer_seconds", "s", true},
        {learning_rate, "learning_rate", ""},
        {gradient_norm, "gradient_norm", ""},
        {memory_parameters, "memory_parameters", "bytes"},
        {memory_gradients, "memory_gradients", "bytes"},
        {memory_optimizer_state, "memory_optimizer_state", "bytes"},
        {memory_activations, "memory_activations", "bytes"},
        {memory_workspace, "memory_workspace", "bytes"},
        {memory_input, "memory_input", "bytes"},
        {memory_peak, "memory_peak", "bytes"},
    }};
    static_assert(
        [] {
            for (std::size_t i = 0; i < table.size(); ++i) {
                if (table[i].metric != static_cast<Metric>(i)) {
                    return false;
                }
            }
            // The recorder finds a category's metric by counting from the first.
            for (const MemoryCategory category : all_memory_categories) {
                const std::size_t i = static_cast<std::size_t>(memory_parameters) +
                                      static_cast<std::size_t>(category);
                if (table[i].name.substr(std::string_view("memory_").size()) != name_of(category)) {
                    return false;
                }
            }
            return memory_peak == static_cast<Metric>(static_cast<std::size_t>(memory_parameters) +
                                                      memory_category_count);
        }(),
        "The table is in the order of Metric, and its memory metrics in that of MemoryCategory.");
    return table;
}

std::string_view name_of(AnnotationKind kind) {
    switch (kind) {
        case AnnotationKind::event:
            return "event";
        case AnnotationKind::error:
            return "error";
        default:
            return "knob";
    }
}

std::string Annotation::text() const {
    if (kind != AnnotationKind::knob) {
        return kind == AnnotationKind::error ? "error: " + reason : reason;
    }
    const std::string change =
        from.empty() && to.empty() ? what : fmt::format("{} {} -> {}", what, from, to);
    return refused ? fmt::format("{} refused: {}", change, reason) : change;
}

Telemetry::Telemetry(std::vector<TimedOperator> operators)
    : operator_times_(std::move(operators)),
      started_at_(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
                      .count()) {}

void Telemetry::make_room(std::size_t steps) {
    for (Column<double>& column : columns_) {
        column.make_room(steps);
    }
}

void Telemetry::append(const StepSample& sample) {
    // The last column is written last, and steps() reads its size: rows are whole.
    for (std::size_t i = 0; i < metric_count; ++i) {
        columns_[i].append(sample[i]);
    }
}

void Telemetry::append(Annotation annotation) {
    const std::lock_guard lock(annotations_mutex_);
    annotations_.push_back(std::move(annotation));
    annotation_count_.store(annotations_.size(), std::memory_order_release);
}

std::vector<Annotation> Telemetry::annotations(std::size_t begin) const {
    const std::lock_guard lock(annotations_mutex_);
    if (begin >= annotations_.size()) {
        return {};
    }
    return {annotations_.begin() + static_cast<std::ptrdiff_t>(begin), annotations_.end()};
}

}  // namespace trainscope
