// SPDX-License-Identifier: GPL-3.0-or-later
// One stage of the executed network: the kernel of an operator (or of several, fused) for one batch
// size, run on tensors that the network hands it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/model/graph.h"
#include "engine/model/memory_plan.h"
#include "engine/train/kernel_choice.h"
#include "engine/train/parameter_table.h"
#include "engine/train/training_memory.h"

namespace trainscope {

struct StageTensors {
    const float* x = nullptr;
    float* y = nullptr;               // may be x
    std::uint8_t* winners = nullptr;  // max pooling
    float* saved = nullptr;           // batch norm: mean, then invstd, fused its rest
    float* dy = nullptr;              // gradient of y; nullptr: nobody wants a backward pass
    float* dx = nullptr;              // gradient of x, may be dy; nullptr when nobody wants it
    void* workspace = nullptr;
};

// What a stage learns, each nullptr where it has none. Gradients are sums over samples.
struct StageParameters {
    float* first = nullptr;   // weight or gamma
    float* second = nullptr;  // bias or beta
    float* first_gradient = nullptr;
    float* second_gradient = nullptr;
    float* running_mean = nullptr;
    float* running_var = nullptr;
};
StageParameters parameters_of(const ParameterTable& table, const ModelState& state,
                              std::size_t node);

class Stage {
  public:
    virtual ~Stage() = default;
    virtual void forward(const StageTensors& tensors) = 0;
    // The same for evaluation: batch norm takes its running values and leaves them as they are.
    virtual void infer(const StageTensors& tensors) { forward(tensors); }
    // accumulate: add to the parameters' gradients instead of overwriting them.
    virtual void backward(const StageTensors& tensors, bool accumulate) = 0;
};

// The stage of a batch of n samples; nullptr for a view (flatten, and the loss, which the network
// runs). Errors: no variant can do it.
Result<std::unique_ptr<Stage>> make_stage(const Graph& graph, const PlannedStage& planned,
                                          const KernelChoice& choice, std::int64_t n,
                                          const StageParameters& parameters);

// Whether make_stage would find a variant, without making a kernel. The variant's name is added to
// `used` under its operator.
using VariantsUsed = std::map<std::string, std::set<std::string>>;
Result<void> check_stage(const Graph& graph, const PlannedStage& planned,
                         const KernelChoice& choice, std::int64_t n, VariantsUsed& used);

}  // namespace trainscope
