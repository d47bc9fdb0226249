// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/kernel_variant.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "engine/core/near_name.h"

namespace trainscope {

namespace {
std::vector<VariantInfo>& infos(DeviceKind device) {
    static std::array<std::vector<VariantInfo>, device_kind_count> table;
    return table[static_cast<std::size_t>(device)];
}
}  // namespace

void detail::add_variant_info(DeviceKind device, VariantInfo info) {
    infos(device).push_back(std::move(info));
}

std::vector<VariantInfo> list_variants(DeviceKind device) {
    std::vector<VariantInfo> list = infos(device);
    std::sort(list.begin(), list.end(), [](const VariantInfo& a, const VariantInfo& b) {
        return std::tie(a.op, a.name) < std::tie(b.op, b.name);
    });
    return list;
}

Error unknown_variant(std::string_view op, std::string_view name, DeviceKind device,
                      std::span<const std::string_view> known) {
    return {ErrorCode::not_found, fmt::format("{} has no variant '{}' on {}{}.", op, name,
                                              name_of(device), known_names_hint(name, known))};
}

Error refused_variant(std::string_view op, std::string_view name, std::string_view reason,
                      std::span<const std::string_view> able) {
    std::string message =
        fmt::format("The {} variant {} cannot be used here: {}.", op, name, reason);
    if (!able.empty()) {
        message += fmt::format(" {} can: {}.", able.size() == 1 ? "This one" : "These",
                               fmt::join(able, ", "));
    }
    return {ErrorCode::unsupported, std::move(message)};
}

Error untrainable_variant(std::string_view op, std::string_view name, std::string_view why) {
    return {
        ErrorCode::unsupported,
        fmt::format("The {} variant {} is for teaching only and cannot train. {}", op, name, why)};
}

}  // namespace trainscope
