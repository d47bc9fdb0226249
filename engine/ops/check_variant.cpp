// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/check_variant.h"

#include <vector>

#include "engine/core/near_name.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope {

Result<void> check_variant(DeviceKind device, std::string_view op, std::string_view variant) {
    const std::vector<VariantInfo> all = list_variants(device);
    std::vector<std::string_view> ops;
    std::vector<std::string_view> names = {"auto"};
    const VariantInfo* found = nullptr;
    for (const VariantInfo& info : all) {
        if (info.tool) {
            if (info.op == op) {
                return make_error(ErrorCode::unsupported,
                                  "No model has the operator {}: it is for 'trainscope bench'.",
                                  op);
            }
            continue;
        }
        if (ops.empty() || ops.back() != info.op) {
            ops.push_back(info.op);
        }
        if (info.op == op) {
            names.push_back(info.name);
            found = info.name == variant ? &info : found;
        }
    }
    if (names.size() == 1) {
        return make_error(ErrorCode::not_found, "There is no operator '{}' on {}{}.", op,
                          name_of(device), known_names_hint(op, ops));
    }
    if (found == nullptr && variant != "auto") {
        return make_error(unknown_variant(op, variant, device, names));
    }
    if (found != nullptr && !found->trainable) {
        return make_error(untrainable_variant(op, variant, found->why_untrainable));
    }
    return {};
}

}  // namespace trainscope
