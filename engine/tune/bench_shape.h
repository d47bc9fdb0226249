// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of an operator as a person writes it: "n=32,c=16,h=28,w=28,k=32,r=3,pad=1". What is not
// named takes a usual value, which may follow from what is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/shape.h"

namespace trainscope {

struct BenchShape {
    std::string op;
    std::vector<std::int64_t> values;  // one for each of the operator's fields

    // `field` must be one of the operator's.
    std::int64_t operator[](std::string_view field) const;
    std::int64_t& operator[](std::string_view field);
    // Every field that says something, as parse_bench_shape reads it back.
    std::string to_string() const;
    bool operator==(const BenchShape&) const = default;
};

struct BenchField {
    std::string_view name;
    std::string_view meaning;
    // The usual value; it may look at the fields before it.
    std::int64_t (*usual)(const BenchShape& before);
    std::string_view usual_text;  // "32", or "h" for what follows another field
    std::int64_t least = 1, most = largest_dimension;
    bool shown_when_usual = true;
    std::span<const std::string_view> words = {};  // its values are these instead of numbers
};

// In the order in which a shape is written.
std::span<const BenchField> bench_fields(std::string_view op);

// The operators that can be benched, sorted by name.
std::vector<std::string_view> bench_operator_names();

// Errors: not_found for an operator that is not there, with the nearest of the names.
Result<BenchShape> usual_bench_shape(std::string_view op);

// Errors name the field, what was expected and what was found.
Result<BenchShape> parse_bench_shape(std::string_view op, std::string_view text);

// What parse_bench_shape does not look at: whether the fields fit one another. Error: which does
// not, or that a tensor would be too large to be thought of.
Result<void> check_bench_shape(const BenchShape& shape);

}  // namespace trainscope
