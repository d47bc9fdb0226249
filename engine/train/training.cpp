// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/training.h"

#include <cassert>
#include <string_view>
#include <utility>

#include "engine/core/format.h"
#include "engine/model/initialize.h"
#include "engine/model/node_shapes.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/step_graph.h"
#include "engine/train/knob_checks.h"

namespace trainscope {

namespace {

constexpr std::int64_t float_bytes = sizeof(float);

std::vector<TimedOperator> timed_operators(const Graph& graph) {
    std::vector<TimedOperator> operators;
    for (const Node& node : graph.nodes) {
        operators.push_back({node.name, std::string(operator_of(node))});
    }
    return operators;
}

}  // namespace

Training::Training(TrainerConfig config, Graph graph, std::shared_ptr<const Dataset> dataset,
                   std::unique_ptr<DeviceRuntime> runtime)
    : runtime_(std::move(runtime)),
      config_(std::move(config)),
      graph_(std::move(graph)),
      dataset_(std::move(dataset)),
      table_(graph_),
      arena_(runtime_->allocator(), config_.memory_budget),
      recorder_(*runtime_),
      feed_(*runtime_),
      queue_(*runtime_),
      operator_timer_(*runtime_, graph_.nodes.size()),
      telemetry_(std::make_shared<Telemetry>(timed_operators(graph_))),
      knobs_{.micro_batch = config_.micro_batch,
             .accumulation = config_.accumulation,
             .optimizer = config_.optimizer,
             .variants = config_.variants,
             .memory_budget = config_.memory_budget,
             .evaluation_interval = config_.evaluation_interval} {}

Training::~Training() {
    runtime_->attach_thread();
}

Result<std::unique_ptr<Training>> Training::create(TrainerConfig config,
                                                   std::shared_ptr<const Dataset> dataset,
                                                   std::unique_ptr<DeviceRuntime> runtime) {
    assert(dataset != nullptr && runtime != nullptr);
    if (Result<void> checked = check_config(config, *dataset); !checked) {
        return make_error(std::move(checked.error()));
    }
    Result<Graph> graph = build_graph(config.model, dataset->sample, dataset->classes);
    if (!graph) {
        return make_error(std::move(graph.error()));
    }
    std::unique_ptr<Training> training(
        new Training(std::move(config), std::move(*graph), std::move(dataset), std::move(runtime)));
    if (Result<void> built = training->build(); !built) {
        return make_error(std::move(built.error()));
    }
    return training;
}

Result<void> Training::build() {
    Result<Network> network = planned_network(knobs_);
    if (!network) {
        return make_error(std::move(network.error()));
    }
    auto kernel = optimizer_kernel(knobs_);
    if (!kernel) {
        return make_error(std::move(kernel.error()));
    }
    optimizer_kernel_ = std::move(*kernel);
    Result<ModelState> state = allocate_state(*runtime_, arena_, network->memory().plan);
    if (!state) {
        return make_error(std::move(state.error()));
    }
    state_ = std::move(*state);
    if (Result<void> allocated = network->allocate(arena_); !allocated) {
        return allocated;
    }
    network_ = std::make_unique<Network>(std::move(*network));
    network_->prepare();
    record_anew();
    initialize_parameters();
    Result<void> prepared = queue_.allocate().and_then(
        [&] { return feed_.prepare(sample_bytes(), knobs_.micro_batch); });
    if (!prepared) {
        return prepared;
    }
    feed_.adopt();
    set_learning_rate(as_written(knobs_.optimizer.learning_rate));
    loader_ = std::make_unique<Loader>(dataset_, config_.seed, config_.shuffle);
    restart_loader();
    return {};
}

Result<std::unique_ptr<OptimizerUpdate::Kernel>> Training::optimizer_kernel(
    const Knobs& knobs) const {
    const OptimizerUpdate::Shape shape{.parameters = table_.trainable_count()};
    const auto variant = choose_variant<OptimizerUpdate>(
        config_.device.kind, knobs.variants.of(OptimizerUpdate::name), shape);
    if (!variant) {
        return make_error(variant.error());
    }
    return (*variant)->make(shape,
                            {.threads = plan_settings(knobs).threads, .runtime = runtime_.get()});
}

std::map<std::string, std::string> Training::variants_used() const {
    std::map<std::string, std::string> used = network_->variants_used();
    const auto optimizer = choose_variant<OptimizerUpdate>(
        config_.device.kind, knobs_.variants.of(OptimizerUpdate::name),
        {.parameters = table_.trainable_count()});
    used.emplace(OptimizerUpdate::name, (*optimizer)->name);
    if (runtime_->records()) {
        used.emplace(StepGraph::name, recorder_.is_on() ? StepGraph::on : StepGraph::off);
    }
    return used;
}

void Training::initialize_parameters() {
    std::vector<float> values;
    for (std::size_t i = 0; i < table_.places().size(); ++i) {
        const ParameterPlace& place = table_.places()[i];
        values.resize(static_cast<std::size_t>(place.count));
        initialize(*place.spec, config_.seed, i, values);
        runtime_->upload(place_of(place), values.data(), place.count * float_bytes);
    }
}

float* Training::place_of(const ParameterPlace& place) const {
    const Buffer& block = place.spec->trainable ? state_.parameters : state_.running;
    return block.floats() + place.offset;
}

float* Training::kept_place_of(const ParameterPlace& place) const {
    return in_step_ && !place.spec->trainable ? state_.kept_running.floats() + place.offset
                                              : place_of(place);
}

SampleBytes Training::sample_bytes() const {
    const bool soft = dataset_->soft_targets();
    return {.samples = dataset_->sample.elements() * float_bytes,
            .targets = soft ? dataset_->classes * float_bytes
                            : static_cast<std::int64_t>(sizeof(std::int32_t)),
            .soft_targets = soft};
}

void Training::restart_loader() {
    feed_.use(network_->memory());
    loader_->restart(position_, knobs_.micro_batch, feed_.slots());
}

std::map<std::string, std::vector<float>> Training::parameters() const {
    runtime_->attach_thread();
    std::map<std::string, std::vector<float>> values;
    for (const ParameterPlace& place : table_.places()) {
        std::vector<float> floats(static_cast<std::size_t>(place.count));
        runtime_->download(floats.data(), kept_place_of(place), place.count * float_bytes);
        values.emplace(place.spec->name, std::move(floats));
    }
    return values;
}

Result<void> Training::set_parameters(const std::map<std::string, std::vector<float>>& values) {
    for (const auto& [name, floats] : values) {
        const ParameterPlace* const place = table_.find(name);
        if (place == nullptr) {
            return make_error(ErrorCode::invalid_argument, "Model {} has no parameter '{}'.",
                              graph_.name, name);
        }
        if (static_cast<std::int64_t>(floats.size()) != place->count) {
            return make_error(ErrorCode::invalid_argument,
                              "Parameter {} of model {} has {} values, not {}.", name, graph_.name,
                              place->count, floats.size());
        }
    }
    runtime_->attach_thread();
    for (const auto& [name, floats] : values) {
        const ParameterPlace& place = *table_.find(name);
        runtime_->upload(kept_place_of(place), floats.data(), place.count * float_bytes);
    }
    begin_again_ = in_step_;
    return {};
}

void Training::fail(const std::string& reason) {
    failure_ = reason;
    annotate(AnnotationKind::error, "error", reason);
}

void Training::annotate(AnnotationKind kind, std::string what, std::string reason) {
    Annotation annotation;
    annotation.kind = kind;
    annotation.what = std::move(what);
    annotation.reason = std::move(reason);
    annotate(std::move(annotation));
}

void Training::annotate(Annotation annotation) {
    annotation.step = static_cast<double>(step_);
    annotation.samples = static_cast<double>(samples_);
    annotation.epoch = static_cast<double>(samples_) / static_cast<double>(dataset_->train.count);
    annotation.active_seconds = active_seconds_;
    telemetry_->append(std::move(annotation));
}

}  // namespace trainscope
