// SPDX-License-Identifier: GPL-3.0-or-later
// What a setting will cost in memory, said before it is applied and without running anything. The
// trainer allocates exactly the blocks of this plan, so that plan and ledger agree to the byte.
//
// Rules, sample sizes times the micro-batch:
// - What a fused operator stands for (conv2d, relu, max_pool in a row: conv_relu_pool; batch_norm,
//   relu: batch_norm_relu; dense, relu: dense_relu) is one stage where its chosen variant, if not
//   `separate`, does that shape. An explicit choice is an error when it does none of the model's.
// - relu works in place on its input's block (no operator before it reads its own output in
//   backward), unless its input is the batch itself. flatten and the loss are views.
// - batch_norm and max_pool read their input or winners in backward, so they write blocks of their
//   own.
// - Gradients of activations live in two blocks that take turns: that of a stage's output is dead
//   once the stage's backward is done. relu, batch_norm and flatten hand theirs on in place. The
//   gradient of the logits is that of the last stage before the loss. Stages before the first with
//   parameters have none.
// - One workspace serves all stages, the loss and the optimizer, since they run one after another.
// - What a step gives beside parameters (StepResults) has a small block of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/memory.h"
#include "engine/core/result.h"
#include "engine/model/graph.h"
#include "engine/model/variant_choice.h"
#include "engine/ops/fused_operators.h"
#include "engine/ops/optimizer.h"

namespace trainscope {

// No kernel is given more of the host's threads.
inline constexpr int most_threads = 1024;

struct PlanSettings {
    std::int64_t micro_batch = 32;
    VariantChoice variants;
    OptimizerKind optimizer = OptimizerKind::momentum;
    DeviceKind device = DeviceKind::cpu;
    int threads = 1;
    bool soft_targets = false;
    int input_slots = 3;  // batches in the loader's ring
};

// One stage of the executed network: a node, or several that one fused kernel runs.
struct PlannedStage {
    std::size_t first_node = 0, node_count = 1;
    const FusedOperator* fused = nullptr;  // what runs them; nullptr: one node's own operator
    std::int64_t output_block = -1;        // index into MemoryPlan::blocks; -1: its input, in place
    std::int64_t index_block = -1;         // max pooling's winners
    std::int64_t saved_block =
        -1;  // batch norm's mean and invstd, fused its rest too: C floats each
    std::int64_t gradient_block = -1;  // gradient of this stage's output
};

struct PlannedBlock {
    std::string name;   // "conv1 output"
    std::string layer;  // "conv1", empty for what belongs to no layer
    MemoryCategory category = MemoryCategory::activations;
    std::int64_t bytes = 0;  // rounded to the allocation's granularity
};

struct MemoryPlan {
    std::vector<PlannedBlock> blocks;
    std::vector<PlannedStage> stages;
    // Indices into `blocks`; -1 where there is none.
    std::int64_t parameters_block = -1;    // all trainable parameters, contiguous, in graph order
    std::int64_t buffers_block = -1;       // running_mean, running_var
    std::int64_t kept_buffers_block = -1;  // the same, as they were before the step
    std::int64_t gradients_block = -1;     // like parameters
    std::int64_t state0_block = -1, state1_block = -1;
    std::int64_t workspace_block = -1;
    std::int64_t results_block = -1;          // StepResults
    std::int64_t step_block = -1;             // OptimizerStep; the CPU has none
    std::vector<std::int64_t> input_blocks;   // one a slot: samples
    std::vector<std::int64_t> target_blocks;  // one a slot: labels (int32) or soft targets (float)
    MemoryUsage usage;  // everything is allocated for as long as the setting holds,
                        // so the peak is usage.total()
};

// Errors: invalid_argument for a micro-batch < 1 or larger than any memory, and for threads or
// slots out of range; not_found for an operator or variant that is not there; unsupported for a
// variant that cannot do what the model needs.
Result<MemoryPlan> plan_memory(const Graph& graph, const PlanSettings& settings);

// The largest micro-batch in [1, upper] whose plan fits `budget` bytes; 0 when none does.
std::int64_t largest_micro_batch(const Graph& graph, PlanSettings settings, std::int64_t budget,
                                 std::int64_t upper);

}  // namespace trainscope
