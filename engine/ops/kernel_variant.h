// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel variant: one way to compute an operator. Variants are data: the window, the benches, the
// planner and the tests iterate over the same table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/result.h"

namespace trainscope {

class DeviceRuntime;

inline constexpr std::size_t device_kind_count = static_cast<std::size_t>(DeviceKind::emulated) + 1;

// What a kernel is made for, beside its shape.
struct KernelContext {
    int threads = 1;                   // how many of the host's it may use
    DeviceRuntime* runtime = nullptr;  // what it runs on; the CPU's kernels need none
};

// What a variant multiplies with. Storage and sums are float32 in all of them.
enum class Arithmetic {
    fp32,
    tf32,  // factors rounded to 10 bits behind the point
    bf16,  // to 7
};
// Half the distance from 1 to the next factor.
constexpr double unit_roundoff(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::tf32:
            return 0x1p-11;
        case Arithmetic::bf16:
            return 0x1p-8;
        case Arithmetic::fp32:
            break;
    }
    return 0x1p-24;
}

// `Op` names an operator (Conv2d, BatchNorm, ...) and has: `name`, `Shape` (a plain record) and
// `Kernel` (an abstract class with the operator's passes). A kernel is made once for a shape, holds
// what it needs (oneDNN primitives, ...) and is then run without allocating; tensors and workspace
// are given to it by the caller.
template <class Op>
struct KernelVariant {
    std::string name;         // "im2col_gemm"
    std::string description;  // one sentence: what it does and when it is good
    // Among the variants that support a shape, the one of highest preference is the default.
    int preference = 0;
    // Where it depends on the shape, instead of `preference`.
    std::function<int(const typename Op::Shape&)> preference_for_shape = {};
    // Why this variant cannot do this shape; nullopt when it can.
    std::function<std::optional<std::string>(const typename Op::Shape&)> refuses;
    // Scratch bytes that each call of forward or backward needs (the larger of the two).
    std::function<std::int64_t(const typename Op::Shape&, const KernelContext&)> workspace_bytes;
    std::function<std::unique_ptr<typename Op::Kernel>(const typename Op::Shape&,
                                                       const KernelContext&)>
        make;
    // False for teaching variants that are shown with their error and refused for training.
    bool trainable = true;
    // Then: why, in a sentence.
    std::string why_untrainable = {};
    // Of less than fp32: taken by its name only, never by "auto", and not held to runs of float32.
    Arithmetic arithmetic = Arithmetic::fp32;

    int preference_for(const typename Op::Shape& shape) const {
        return preference_for_shape ? preference_for_shape(shape) : preference;
    }
};

// One row of the table as it is shown to people.
struct VariantInfo {
    std::string op;
    std::string name;
    std::string description;
    bool trainable = true;
    std::string why_untrainable = {};
    Arithmetic arithmetic = Arithmetic::fp32;
    bool tool = false;  // of an operator that no model has: it is for the bench
};

// An operator that no model has says so by `is_tool`.
template <class Op>
concept Tool = requires {
    Op::is_tool;
};

namespace detail {
void add_variant_info(DeviceKind device, VariantInfo info);
template <class Op>
std::vector<KernelVariant<Op>>& variant_table(DeviceKind device) {
    static std::vector<std::vector<KernelVariant<Op>>> tables(device_kind_count);
    return tables[static_cast<std::size_t>(device)];
}
}  // namespace detail

// All variants of all operators on a device, sorted by operator and name.
std::vector<VariantInfo> list_variants(DeviceKind device);

// The variants of one operator on a device.
template <class Op>
std::span<const KernelVariant<Op>> variants_of(DeviceKind device) {
    return detail::variant_table<Op>(device);
}

// Registers a variant before main() runs: `const Registered<Conv2d> direct{DeviceKind::cpu,
// {...}};`
template <class Op>
struct Registered {
    Registered(DeviceKind device, KernelVariant<Op> variant) {
        detail::add_variant_info(device, {.op = std::string(Op::name),
                                          .name = variant.name,
                                          .description = variant.description,
                                          .trainable = variant.trainable,
                                          .why_untrainable = variant.why_untrainable,
                                          .arithmetic = variant.arithmetic,
                                          .tool = Tool<Op>});
        detail::variant_table<Op>(device).push_back(std::move(variant));
    }
};

// The error not_found for an operator's variant, with the nearest of the names there are.
Error unknown_variant(std::string_view op, std::string_view name, DeviceKind device,
                      std::span<const std::string_view> known);

// The error unsupported for a variant that is not trainable.
Error untrainable_variant(std::string_view op, std::string_view name, std::string_view why);

// The error unsupported for a variant that refuses a shape, with those that do not.
Error refused_variant(std::string_view op, std::string_view name, std::string_view reason,
                      std::span<const std::string_view> able);

// The names of the variants that may train and support the shape.
template <class Op>
std::vector<std::string_view> variants_for(DeviceKind device, const typename Op::Shape& shape) {
    std::vector<std::string_view> names;
    for (const KernelVariant<Op>& variant : variants_of<Op>(device)) {
        if (variant.trainable && !variant.refuses(shape)) {
            names.push_back(variant.name);
        }
    }
    return names;
}

// The variant called `name`, or for "auto" the supported trainable one of highest preference that
// multiplies in float32.
// Errors: not_found lists the names there are; unsupported says why it cannot do this shape,
// and which can.
template <class Op>
Result<const KernelVariant<Op>*> choose_variant(DeviceKind device, std::string_view name,
                                                const typename Op::Shape& shape) {
    const KernelVariant<Op>* best = nullptr;
    std::vector<std::string_view> known = {"auto"};
    std::string reasons;
    for (const KernelVariant<Op>& variant : variants_of<Op>(device)) {
        known.push_back(variant.name);
        if (name != "auto" && name != variant.name) {
            continue;
        }
        const bool named = name == variant.name;
        if (!named && variant.arithmetic != Arithmetic::fp32) {
            continue;
        }
        if (!variant.trainable) {
            if (named) {
                return make_error(untrainable_variant(Op::name, name, variant.why_untrainable));
            }
            continue;
        }
        if (const std::optional<std::string> reason = variant.refuses(shape)) {
            if (named) {
                return make_error(
                    refused_variant(Op::name, name, *reason, variants_for<Op>(device, shape)));
            }
            reasons += (reasons.empty() ? "" : "; ") + variant.name + ": " + *reason;
            continue;
        }
        if (named) {
            return &variant;
        }
        if (best == nullptr || variant.preference_for(shape) > best->preference_for(shape)) {
            best = &variant;
        }
    }
    if (best != nullptr) {
        return best;
    }
    if (name == "auto") {
        return make_error(ErrorCode::unsupported, "No {} variant on {} can be used here ({}).",
                          Op::name, name_of(device), reasons.empty() ? "there is none" : reasons);
    }
    return make_error(unknown_variant(Op::name, name, device, known));
}

}  // namespace trainscope
