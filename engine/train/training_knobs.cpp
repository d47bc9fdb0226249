// SPDX-License-Identifier: GPL-3.0-or-later
// Turning knobs between steps. What needs other memory is planned and checked before anything is
// touched; when memory runs out all the same, the old setting comes back.
#include <fmt/format.h>

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/format.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/step_graph.h"
#include "engine/train/knob_checks.h"
#include "engine/train/training.h"

namespace trainscope {

namespace {

std::string budget_text(std::optional<std::int64_t> bytes) {
    return bytes ? format_bytes(*bytes) : "none";
}

std::string interval_text(std::int64_t steps) {
    return steps == 0 ? "each epoch" : fmt::format("every {} step{}", steps, steps == 1 ? "" : "s");
}

}  // namespace

void Training::set_learning_rate(double value) {
    learning_rate_ = value;
    knobs_.optimizer.learning_rate = static_cast<float>(value);
}

Result<void> Training::set(const SetMicroBatch& command) {
    return annotated("micro_batch", fmt::format("{}", knobs_.micro_batch),
                     fmt::format("{}", command.samples), [&] {
                         Knobs wanted = knobs_;
                         wanted.micro_batch = command.samples;
                         return check_micro_batch(command.samples, *dataset_).and_then([&] {
                             return replace_network(wanted);
                         });
                     });
}

Result<void> Training::set(const SetAccumulation& command) {
    return annotated("accumulation", fmt::format("{}", knobs_.accumulation),
                     fmt::format("{}", command.steps), [&] {
                         Result<void> result = check_accumulation(command.steps);
                         if (result) {
                             knobs_.accumulation = command.steps;
                         }
                         return result;
                     });
}

Result<void> Training::set(const SetLearningRate& command) {
    return annotated("learning_rate", fmt::format("{}", learning_rate_),
                     fmt::format("{}", command.value), [&] {
                         Result<void> result = check_learning_rate(command.value);
                         if (result) {
                             set_learning_rate(command.value);
                         }
                         return result;
                     });
}

Result<void> Training::set(const SetOptimizer& command) {
    const double old_rate = learning_rate_;
    const double rate = command.learning_rate.value_or(old_rate);
    Result<void> result = annotated(
        "optimizer", std::string(name_of(knobs_.optimizer.kind)),
        std::string(name_of(command.kind)), [&] {
            Knobs wanted = knobs_;
            wanted.optimizer.kind = command.kind;
            return check_learning_rate(rate).and_then([&] { return replace_optimizer(wanted); });
        });
    if (result && rate != old_rate) {
        result = annotated("learning_rate", fmt::format("{}", old_rate), fmt::format("{}", rate),
                           [&]() -> Result<void> {
                               set_learning_rate(rate);
                               return {};
                           });
    }
    return result;
}

Result<void> Training::set(const SetVariant& command) {
    return annotated(
        command.op + " variant", std::string(knobs_.variants.of(command.op)), command.variant, [&] {
            return check_variant(config_.device.kind, command.op, command.variant).and_then([&] {
                if (command.op == StepGraph::name) {
                    return set_recording(command.variant);
                }
                if (command.variant == knobs_.variants.of(command.op)) {
                    return Result<void>();
                }
                Knobs wanted = knobs_;
                wanted.variants.set(command.op, command.variant);
                return replace_network(wanted);
            });
        });
}

bool Training::wants_recording(const Knobs& knobs) const {
    // A replay is worth its memory where giving work to the device takes the host's time.
    const std::string_view choice = knobs.variants.of(StepGraph::name);
    return choice == StepGraph::on || (choice == "auto" && config_.device.kind == DeviceKind::cuda);
}

void Training::record_anew() {
    network_->forget_recordings();
    recorded_update_.forget();
    recorder_.turn(wants_recording(knobs_));
}

Result<void> Training::set_recording(const std::string& choice) {
    knobs_.variants.set(std::string(StepGraph::name), choice);
    record_anew();
    return {};
}

void Training::notice_recording_failure() {
    if (const std::string why = recorder_.take_failure(); !why.empty()) {
        network_->forget_recordings();
        recorded_update_.forget();
        annotate(AnnotationKind::event, "graph", "training goes on without CUDA graphs: " + why);
    }
}

Result<void> Training::set(const SetMemoryBudget& command) {
    return annotated("memory_budget", budget_text(knobs_.memory_budget), budget_text(command.bytes),
                     [&]() -> Result<void> {
                         const std::int64_t used = arena_.in_use().total();
                         if (command.bytes && *command.bytes < used) {
                             const auto [asked, in_use] = format_bytes_apart(*command.bytes, used);
                             return make_error(
                                 ErrorCode::invalid_argument,
                                 "A memory budget of {} is below the {} in use; make the "
                                 "micro-batch smaller first.",
                                 asked, in_use);
                         }
                         knobs_.memory_budget = command.bytes;
                         arena_.set_budget(command.bytes);
                         arena_.reset_peak();
                         return {};
                     });
}

Result<void> Training::set(const SetEvaluationInterval& command) {
    return annotated("evaluation_interval", interval_text(knobs_.evaluation_interval),
                     interval_text(command.steps), [&]() -> Result<void> {
                         if (auto checked = check_evaluation_interval(command.steps); !checked) {
                             return checked;
                         }
                         knobs_.evaluation_interval = command.steps;
                         return {};
                     });
}

Result<void> Training::annotated(std::string what, std::string from, std::string to,
                                 const std::function<Result<void>()>& turn) {
    // All that may run out of memory comes before the knob is turned, but for the annotation's row.
    Annotation annotation;
    annotation.what = std::move(what);
    annotation.from = std::move(from);
    annotation.to = std::move(to);
    const Knobs before = knobs_;
    const std::int64_t steps_of_optimizer = optimizer_step_;
    Result<void> result = turn();
    break_time();
    if (result && knobs_ == before && optimizer_step_ == steps_of_optimizer) {
        return result;
    }
    try {
        annotation.refused = !result;
        annotation.reason = result ? std::string() : result.error().message;
        annotate(std::move(annotation));
    } catch (const std::bad_alloc&) {
        // Better without its annotation than the knob turned and the answer lost.
    }
    return result;
}

PlanSettings Training::plan_settings(const Knobs& knobs) const {
    return {.micro_batch = knobs.micro_batch,
            .variants = knobs.variants,
            .optimizer = knobs.optimizer.kind,
            .device = config_.device.kind,
            .threads = config_.threads > 0 ? config_.threads : config_.device.threads,
            .soft_targets = dataset_->soft_targets()};
}

Result<MemoryPlan> Training::planned_memory(const Knobs& knobs) const {
    const PlanSettings settings = plan_settings(knobs);
    Result<MemoryPlan> plan = plan_memory(graph_, settings);
    if (!plan) {
        return plan;
    }
    if (Result<void> checked =
            check_budget(graph_, settings, *plan, knobs.memory_budget, config_.device);
        !checked) {
        return make_error(std::move(checked.error()));
    }
    return plan;
}

Result<Network> Training::planned_network(const Knobs& knobs) {
    const BatchSizes sizes = batch_sizes(knobs.micro_batch, *dataset_, position_);
    if (Result<void> checked = check_batch_norm(graph_, sizes); !checked) {
        return make_error(std::move(checked.error()));
    }
    Result<MemoryPlan> plan = planned_memory(knobs);
    if (!plan) {
        return make_error(std::move(plan.error()));
    }
    return Network::create(graph_, table_, state_, *runtime_, recorder_, plan_settings(knobs),
                           std::move(*plan), sizes.all);
}

Result<void> Training::replace_network(const Knobs& knobs) {
    if (knobs.micro_batch == knobs_.micro_batch && knobs.variants == knobs_.variants) {
        return {};
    }
    bool old_is_whole = true;
    try {
        return replace_network(knobs, old_is_whole);
    } catch (const std::bad_alloc&) {
        // From the kernels' own memory, or from what is kept beside the ledger.
        if (old_is_whole) {
            loader_->restart(position_);
        } else {
            fail("The training ran out of memory while a knob was turned.");
        }
        return make_error(ErrorCode::out_of_memory,
                          "Out of memory: the device has none left for the "
                          "kernels of this setting.");
    }
}

Result<void> Training::replace_network(Knobs knobs, bool& old_is_whole) {
    Result<Network> network = planned_network(knobs);
    if (!network) {
        return make_error(std::move(network.error()));
    }
    auto kernel = optimizer_kernel(knobs);
    if (!kernel) {
        return make_error(std::move(kernel.error()));
    }
    if (Result<void> prepared = feed_.prepare(sample_bytes(), knobs.micro_batch); !prepared) {
        return prepared;
    }
    network->prepare();
    auto built = std::make_unique<Network>(std::move(*network));
    // Both at once if there is room, so that the old setting stays whole until the new one is.
    const bool both = built->allocate(arena_).has_value();
    loader_->pause();
    if (!both) {
        old_is_whole = false;
        if (Result<void> allocated = allocate_instead_of_old(*built); !allocated) {
            return allocated;
        }
    }
    old_is_whole = false;
    network_ = std::move(built);
    feed_.adopt();
    optimizer_kernel_ = std::move(*kernel);
    knobs_ = std::move(knobs);
    record_anew();
    arena_.reset_peak();
    restart_loader();
    return {};
}

Result<void> Training::allocate_instead_of_old(Network& network) {
    record_anew();
    network_->release();
    Result<void> allocated = network.allocate(arena_);
    if (allocated) {
        return {};
    }
    if (Result<void> restored = network_->allocate(arena_); !restored) {
        fail("The setting before cannot come back: " + restored.error().message);
        return allocated;
    }
    arena_.reset_peak();
    restart_loader();
    return allocated;
}

Result<void> Training::replace_optimizer(const Knobs& knobs) {
    const Result<MemoryPlan> plan = planned_memory(knobs);
    if (!plan) {
        return make_error(plan.error());
    }
    Knobs wanted = knobs;
    if (Result<void> renewed = renew_optimizer_state(*runtime_, arena_, *plan, state_); !renewed) {
        return renewed;
    }
    knobs_ = std::move(wanted);
    recorded_update_.forget();
    optimizer_step_ = 0;
    arena_.reset_peak();
    return {};
}

}  // namespace trainscope
