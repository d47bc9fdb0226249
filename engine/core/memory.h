// SPDX-License-Identifier: GPL-3.0-or-later
// What memory is used for. Every tensor byte is booked under one category.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainscope {

enum class MemoryCategory : std::uint8_t {
    parameters,
    gradients,
    optimizer_state,
    activations,  // and the gradients of activations
    workspace,
    input,  // batches, the prefetched ones included
};

inline constexpr std::size_t memory_category_count = 6;

inline constexpr std::array<MemoryCategory, memory_category_count> all_memory_categories = {
    MemoryCategory::parameters,  MemoryCategory::gradients, MemoryCategory::optimizer_state,
    MemoryCategory::activations, MemoryCategory::workspace, MemoryCategory::input};

// The field's name in logs and files: "optimizer_state".
constexpr std::string_view name_of(MemoryCategory category) {
    constexpr std::array<std::string_view, memory_category_count> names = {
        "parameters", "gradients", "optimizer_state", "activations", "workspace", "input"};
    return names[static_cast<std::size_t>(category)];
}

// Bytes by category.
struct MemoryUsage {
    std::array<std::int64_t, memory_category_count> bytes{};

    std::int64_t& operator[](MemoryCategory category) {
        return bytes[static_cast<std::size_t>(category)];
    }
    std::int64_t operator[](MemoryCategory category) const {
        return bytes[static_cast<std::size_t>(category)];
    }
    std::int64_t total() const {
        std::int64_t sum = 0;
        for (const std::int64_t b : bytes) {
            sum += b;
        }
        return sum;
    }
    bool operator==(const MemoryUsage&) const = default;
};

// What a device says of its memory. Bytes.
struct MemoryReport {
    std::int64_t total = 0;
    std::int64_t available = 0;  // to anyone
    // Taken from the device for tensors: those in use, and those kept to be used again.
    std::int64_t reserved = 0;

    // Other processes', and what the device's driver needs for this one.
    std::int64_t others() const { return total - available - reserved; }
};

// Every allocation starts at, and is booked in, multiples of this.
inline constexpr std::int64_t allocation_granularity = 64;

constexpr std::int64_t rounded_allocation(std::int64_t bytes) {
    return (bytes + allocation_granularity - 1) / allocation_granularity * allocation_granularity;
}

}  // namespace trainscope
