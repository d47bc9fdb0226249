// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax and cross-entropy in one, through log-sum-exp with the row maximum subtracted.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainscope {

struct SoftmaxCrossEntropy {
    static constexpr std::string_view name = "softmax_cross_entropy";

    struct Shape {
        std::int64_t n = 1, classes = 2;
        bool operator==(const Shape&) const = default;
    };
    // Hard labels: loss = -log p[label]. Soft targets t, which need not sum to 1:
    // loss = sum(t) * LSE(z) - sum(t * z), dz = sum(t) * p - t.
    struct Totals {
        double loss_sum = 0;  // over the N samples, not divided
        std::int64_t correct =
            0;  // argmax (first on ties) equals the label, or the argmax of targets
    };
    struct Args {
        const float* logits = nullptr;         // [N, classes]
        const std::int32_t* labels = nullptr;  // [N] in [0, classes); nullptr when targets is given
        const float* targets = nullptr;        // [N, classes]; nullptr when labels is given
        float* dlogits = nullptr;   // [N, classes]: gradient of the *sum* of the losses; may be
                                    // nullptr (evaluation) or logits itself
        Totals* totals = nullptr;   // tensor memory, added to: the caller clears it
        void* workspace = nullptr;  // as many bytes as the variant asks for
    };
    class Kernel {
      public:
        virtual ~Kernel() = default;
        virtual void run(const Args& args) = 0;
    };
};

}  // namespace trainscope
