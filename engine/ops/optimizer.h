// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizer updates over all parameters in one pass, which also gives the gradient's norm.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trainscope {

enum class OptimizerKind : std::uint8_t { sgd, momentum, adam, adamw };

inline constexpr OptimizerKind all_optimizers[] = {OptimizerKind::sgd, OptimizerKind::momentum,
                                                   OptimizerKind::adam, OptimizerKind::adamw};

constexpr std::string_view name_of(OptimizerKind kind) {
    constexpr std::string_view names[] = {"sgd", "momentum", "adam", "adamw"};
    return names[static_cast<std::size_t>(kind)];
}

// Floats of state per parameter: 0, 1 (velocity) or 2 (first and second moment).
constexpr int state_slots(OptimizerKind kind) {
    return kind == OptimizerKind::sgd ? 0 : kind == OptimizerKind::momentum ? 1 : 2;
}

// Where nothing else is said. Adam's steps are about as long as the rate.
constexpr float usual_learning_rate(OptimizerKind kind) {
    return state_slots(kind) == 2 ? 0.001F : 0.05F;
}

struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::momentum;
    float learning_rate = 0.05F;
    float momentum = 0.9F;
    float beta1 = 0.9F;
    float beta2 = 0.999F;
    float eps = 1e-8F;           // outside the square root
    float weight_decay = 0.01F;  // adamw only, decoupled: w -= lr * weight_decay * w

    bool operator==(const OptimizerSettings&) const = default;
};

struct OptimizerStep;

struct OptimizerUpdate {
    static constexpr std::string_view name = "optimizer";

    struct Shape {
        std::int64_t parameters = 1;
        bool operator==(const Shape&) const = default;
    };
    // g = gradient / samples; sgd: w -= lr*g; momentum: v = mu*v + g, w -= lr*v; adam:
    // bias-corrected by `step`, eps outside the root.
    struct Args {
        OptimizerSettings settings;
        std::int64_t step = 1;  // optimizer steps before this one, plus 1: Adam's t
        double samples = 1;     // N of the accumulation window; gradient holds the sum over them
        // Tensor memory that holds what follows from the three above, kind but the rest of no
        // account then: a recorded update reads it anew at each replay. nullptr: there is none.
        const OptimizerStep* values = nullptr;
        float* parameters = nullptr;       // one contiguous block
        const float* gradients = nullptr;  // sums, like parameters
        float* state0 = nullptr;           // velocity or first moment; nullptr for sgd
        float* state1 = nullptr;           // second moment; nullptr unless adam or adamw
        // Tensor memory, overwritten: the squared L2 norm of g over all parameters, as it was
        // before the update.
        double* squared_norm = nullptr;
        void* workspace = nullptr;  // as many bytes as the variant asks for
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void run(const Args& args) = 0;
    };
};

}  // namespace trainscope
