// SPDX-License-Identifier: GPL-3.0-or-later
// Batch normalisation per channel over N * H * W values (Ioffe and Szegedy 2015). A dense input
// [N, C] is h = w = 1.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct BatchNorm {
    static constexpr std::string_view name = "batch_norm";

    struct Shape {
        std::int64_t n = 1, c = 1, h = 1, w = 1;  // input [N, C, H, W]
        float eps = 1e-5F;
        float momentum = 0.1F;

        std::int64_t elements() const { return n * c * h * w; }
        std::int64_t values_per_channel() const { return n * h * w; }
        bool operator==(const Shape&) const = default;
    };

    // y = gamma * (x - mean) / sqrt(var + eps) + beta with the batch's mean and biased variance;
    // running = (1 - momentum) * running + momentum * batch, with the unbiased variance.
    // values_per_channel() > 1 is the caller's duty.
    struct Forward {
        const float* x;       // [N, C, H, W]
        const float* gamma;   // [C]
        const float* beta;    // [C]
        float* y;             // [N, C, H, W]
        float* running_mean;  // [C]
        float* running_var;   // [C]
        float* saved_mean;    // [C], for backward
        float* saved_invstd;  // [C], 1 / sqrt(var + eps), for backward
        void* workspace;
    };
    // The same with the running values as they are (evaluation).
    struct Inference {
        const float* x;             // [N, C, H, W]
        const float* gamma;         // [C]
        const float* beta;          // [C]
        const float* running_mean;  // [C]
        const float* running_var;   // [C]
        float* y;                   // [N, C, H, W]
        void* workspace;
    };
    // With xhat = (x - mean) * invstd and m = N * H * W: dbeta = sum dy; dgamma = sum dy * xhat;
    // dx = gamma * invstd / m * (m * dy - dbeta - xhat * dgamma).
    struct Backward {
        const float* x;             // [N, C, H, W]
        const float* gamma;         // [C]
        const float* saved_mean;    // [C], as forward wrote it
        const float* saved_invstd;  // [C], as forward wrote it
        const float* dy;            // [N, C, H, W]
        float* dx;                  // [N, C, H, W], overwritten; may be dy itself
        float* dgamma;              // [C]
        float* dbeta;               // [C]
        bool accumulate;            // add to dgamma and dbeta instead of overwriting them
        void* workspace;
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void forward(const Forward& args) = 0;
        virtual void inference(const Inference& args) = 0;
        virtual void backward(const Backward& args) = 0;
    };
};

}  // namespace trainscope
