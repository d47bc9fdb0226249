// SPDX-License-Identifier: GPL-3.0-or-later
// Which kernel variant runs a batch: for a full micro-batch the one chosen (or "auto"), for a
// shorter one the same wherever it can, within the workspace there is.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "engine/model/variant_choice.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/separate.h"

namespace trainscope {

struct KernelChoice {
    DeviceKind device = DeviceKind::cpu;
    VariantChoice variants;
    KernelContext context;
    std::int64_t micro_batch = 1;
    std::int64_t workspace_bytes = 0;  // what the plan has; batches shorter than full must fit it
};

// `shape_of(n)` is the operator's shape for a batch of n samples; n <= choice.micro_batch.
template <class Op, class ShapeOf>
Result<const KernelVariant<Op>*> kernel_variant(const KernelChoice& choice, std::int64_t n,
                                                const ShapeOf& shape_of) {
    auto chosen = choose_variant<Op>(choice.device, choice.variants.of(Op::name),
                                     shape_of(choice.micro_batch));
    if (!chosen || n == choice.micro_batch) {
        return chosen;
    }
    const typename Op::Shape shape = shape_of(n);
    const auto fits = [&](const KernelVariant<Op>& variant) {
        // `separate` is the choice of no kernel, and the stages are already cut.
        return variant.name != separate && variant.trainable && !variant.refuses(shape) &&
               variant.workspace_bytes(shape, choice.context) <= choice.workspace_bytes;
    };
    if (fits(**chosen)) {
        return chosen;
    }
    const KernelVariant<Op>* best = nullptr;
    for (const KernelVariant<Op>& variant : variants_of<Op>(choice.device)) {
        if (fits(variant) && variant.arithmetic == Arithmetic::fp32 &&
            (best == nullptr || variant.preference_for(shape) > best->preference_for(shape))) {
            best = &variant;
        }
    }
    if (best == nullptr) {
        return make_error(ErrorCode::unsupported,
                          "No {} variant can do a short batch of {} samples within the workspace "
                          "of a micro-batch of {}.",
                          Op::name, n, choice.micro_batch);
    }
    return best;
}

template <class Op, class ShapeOf>
Result<std::unique_ptr<typename Op::Kernel>> make_kernel(const KernelChoice& choice, std::int64_t n,
                                                         const ShapeOf& shape_of) {
    const auto variant = kernel_variant<Op>(choice, n, shape_of);
    if (!variant) {
        return make_error(variant.error());
    }
    return (*variant)->make(shape_of(n), choice.context);
}

}  // namespace trainscope
