// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 results of operators in the shared folder: docs/formats.md, "Golden files".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/safetensors.h"

namespace trainscope::testing {

struct GoldenCase {
    std::string name;  // "conv_stride2"
    std::string op;    // "conv2d"; empty where the metadata names none
    std::map<std::string, std::string> attributes;
    std::map<std::string, SafeTensor> tensors;

    bool has(const std::string& tensor) const { return tensors.contains(tensor); }
    // These throw std::out_of_range, naming the case, where there is no such tensor or attribute:
    // the test then fails.
    const SafeTensor& tensor(const std::string& tensor) const;
    std::vector<double> doubles(const std::string& tensor) const;
    // Inputs are exactly representable in float32.
    std::vector<float> floats(const std::string& tensor) const;
    std::int64_t size(const std::string& tensor, std::size_t axis) const;
    double number(const std::string& attribute) const;
    std::int64_t integer(const std::string& attribute) const;
    // The attribute where there is one, else `otherwise`.
    std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const;
};

// Every case of every golden/operators*.safetensors of the shared folder, by name. Throws
// std::runtime_error with the reader's sentence where a file cannot be read, or where it has a
// tensor without a case or a case without a tensor.
std::vector<GoldenCase> golden_operator_cases();

}  // namespace trainscope::testing
