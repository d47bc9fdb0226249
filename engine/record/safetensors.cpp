// SPDX-License-Identifier: GPL-3.0-or-later
// What reading and writing of safetensors share: the data types and the values of a tensor.
#include "engine/record/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "engine/record/safetensors_dtypes.h"

namespace trainscope {

static_assert(std::endian::native == std::endian::little, "safetensors hold little-endian values");

std::int64_t detail::dtype_bytes(std::string_view dtype) {
    struct Row {
        std::string_view dtype;
        std::int64_t bytes;
    };
    static constexpr std::array<Row, 15> table = {{
        {"F64", 8},
        {"I64", 8},
        {"U64", 8},
        {"F32", 4},
        {"I32", 4},
        {"U32", 4},
        {"F16", 2},
        {"BF16", 2},
        {"I16", 2},
        {"U16", 2},
        {"I8", 1},
        {"U8", 1},
        {"BOOL", 1},
        {"F8_E4M3", 1},
        {"F8_E5M2", 1},
    }};
    const auto* const found = std::find_if(table.begin(), table.end(),
                                           [&](const Row& row) { return row.dtype == dtype; });
    return found == table.end() ? 0 : found->bytes;
}

namespace {

template <class T>
std::vector<double> values_as(const std::vector<std::byte>& bytes) {
    std::vector<double> values(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        values[i] = static_cast<double>(value);
    }
    return values;
}

}  // namespace

std::vector<double> SafeTensor::as_double() const {
    if (dtype == "F32") {
        return values_as<float>(bytes);
    }
    if (dtype == "F64") {
        return values_as<double>(bytes);
    }
    if (dtype == "I32") {
        return values_as<std::int32_t>(bytes);
    }
    if (dtype == "I64") {
        return values_as<std::int64_t>(bytes);
    }
    assert(dtype == "U8");
    return values_as<std::uint8_t>(bytes);
}

std::int64_t SafeTensor::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : shape) {
        product *= dim;
    }
    return product;
}

}  // namespace trainscope
