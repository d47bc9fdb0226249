// SPDX-License-Identifier: GPL-3.0-or-later
// Trains a model on a thread of its own, and takes commands while it does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/memory.h"
#include "engine/core/result.h"
#include "engine/data/dataset.h"
#include "engine/model/graph.h"
#include "engine/model/model_spec.h"
#include "engine/model/variant_choice.h"
#include "engine/train/command.h"
#include "engine/train/telemetry.h"

namespace trainscope {

struct TrainerConfig {
    ModelSpec model;
    DeviceInfo device;
    int threads = 0;  // 0: as many as the device has
    std::uint64_t seed = 1;
    bool shuffle = true;
    std::int64_t micro_batch = 32;
    std::int64_t accumulation = 1;
    OptimizerSettings optimizer;
    VariantChoice variants;
    std::optional<std::int64_t> memory_budget;
    std::int64_t epochs = 0;               // 0: until stopped
    std::int64_t max_steps = 0;            // 0: no limit
    std::int64_t evaluation_interval = 0;  // steps; 0: at the end of each epoch
    bool start_paused = false;
    bool record_steps = true;  // off only to measure what recording costs
};

enum class TrainerState : std::uint8_t {
    running,
    paused,
    evaluating,
    finished,  // all epochs or steps done
    stopped,   // by command
    failed,    // see TrainerStatus::error
};

// A snapshot of where the training is and of the knobs as they are now.
struct TrainerStatus {
    TrainerState state = TrainerState::paused;
    std::int64_t step = 0;
    std::int64_t samples = 0;
    std::int64_t epoch = 0;         // whole epochs finished
    std::int64_t epoch_offset = 0;  // samples used of the current epoch
    std::int64_t epoch_samples = 0;
    std::int64_t epochs = 0;
    double active_seconds = 0;
    std::int64_t micro_batch = 0;
    std::int64_t accumulation = 0;
    OptimizerSettings optimizer;
    VariantChoice variants;                            // as chosen ("auto" included)
    std::map<std::string, std::string> variants_used;  // what runs, by operator
    MemoryUsage memory;
    std::int64_t memory_peak = 0;
    // What the device said within the last second; nullopt: tensors are the host's memory.
    std::optional<MemoryReport> device_memory = std::nullopt;
    std::optional<std::int64_t> memory_budget;
    std::int64_t evaluation_interval = 0;  // steps; 0: at the end of each epoch
    std::uint64_t revision = 0;            // grows with every command answered
    std::string error;                     // of a failed training: one sentence
    bool done() const { return state >= TrainerState::finished; }
};

class Trainer {
  public:
    // Builds the graph, plans and allocates the memory, initialises the parameters and starts the
    // thread. Errors: any of build_graph, plan_memory, Arena; a micro-batch or accumulation < 1, a
    // micro-batch larger than the train split, a learning rate that is not finite or is <= 0, a
    // batch norm that would see one value a channel.
    static Result<std::unique_ptr<Trainer>> create(TrainerConfig config,
                                                   std::shared_ptr<const Dataset> dataset);
    ~Trainer();  // stops, wakes and joins; takes at most the rest of one layer's pass
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    // Thread-safe and quick. The answer arrives in take_answers. After the end of a training every
    // command is refused.
    CommandId send(CommandBody command);
    // The answers since the last call. Any one thread.
    std::vector<CommandAnswer> take_answers();
    TrainerStatus status() const;  // thread-safe and quick
    std::shared_ptr<const Telemetry> telemetry() const;
    const TrainerConfig& config() const;
    const Graph& graph() const;
    const Dataset& dataset() const;
    // Waits until the training is done (not while paused).
    void wait();

    // Parameters, and batch norm's running values, by name ("conv1.weight"). Only while paused or
    // done; a copy, for tests and for what writes weights. Error invalid_argument when it is
    // running, when a name is unknown or a size differs.
    Result<std::map<std::string, std::vector<float>>> parameters() const;
    Result<void> set_parameters(const std::map<std::string, std::vector<float>>& values);

  private:
    class Implementation;
    explicit Trainer(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace trainscope
