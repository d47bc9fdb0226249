// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/support/shared.h"

namespace trainscope::testing {

namespace fs = std::filesystem;

const SafeTensor& GoldenCase::tensor(const std::string& tensor) const {
    const auto found = tensors.find(tensor);
    if (found == tensors.end()) {
        throw std::out_of_range("the golden case " + name + " has no tensor " + tensor);
    }
    return found->second;
}

std::vector<double> GoldenCase::doubles(const std::string& tensor) const {
    return this->tensor(tensor).as_double();
}

std::vector<float> GoldenCase::floats(const std::string& tensor) const {
    const std::vector<double> values = doubles(tensor);
    std::vector<float> cut(values.size());
    std::transform(values.begin(), values.end(), cut.begin(),
                   [](double value) { return static_cast<float>(value); });
    return cut;
}

std::int64_t GoldenCase::size(const std::string& tensor, std::size_t axis) const {
    return this->tensor(tensor).shape.at(axis);
}

double GoldenCase::number(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    if (found == attributes.end()) {
        throw std::out_of_range("the golden case " + name + " has no attribute " + attribute);
    }
    return std::stod(found->second);
}

std::int64_t GoldenCase::integer(const std::string& attribute) const {
    return static_cast<std::int64_t>(number(attribute));
}

std::int64_t GoldenCase::integer(const std::string& attribute, std::int64_t otherwise) const {
    return attributes.contains(attribute) ? integer(attribute) : otherwise;
}

namespace {

// "op=conv2d stride=1 padding=1"
GoldenCase described(const std::string& name, const std::string& description) {
    GoldenCase result{.name = name, .op = "", .attributes = {}, .tensors = {}};
    std::istringstream words(description);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            throw std::runtime_error(fmt::format(
                "the golden case {} has an attribute '{}' without a value", name, word));
        }
        result.attributes[word.substr(0, equals)] = word.substr(equals + 1);
    }
    result.op = result.attributes["op"];
    return result;
}

void add_cases_of(const fs::path& file, std::map<std::string, GoldenCase>& cases) {
    Result<SafeTensors> content = read_safetensors(file);
    if (!content) {
        throw std::runtime_error(content.error().message);
    }
    for (const auto& [name, description] : content->metadata) {
        if (!cases.emplace(name, described(name, description)).second) {
            throw std::runtime_error("the golden case " + name + " is there twice");
        }
    }
    for (auto& [path, tensor] : content->tensors) {
        const std::size_t slash = path.find('/');
        const auto found = cases.find(path.substr(0, slash));
        if (slash == std::string::npos || found == cases.end()) {
            throw std::runtime_error(file.string() + " has a tensor '" + path +
                                     "' of no case that its metadata describes");
        }
        found->second.tensors.emplace(path.substr(slash + 1), std::move(tensor));
    }
}

}  // namespace

std::vector<GoldenCase> golden_operator_cases() {
    std::map<std::string, GoldenCase> cases;
    for (const fs::directory_entry& entry : fs::directory_iterator(shared_folder() / "golden")) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("operators") && name.ends_with(".safetensors")) {
            add_cases_of(entry.path(), cases);
        }
    }
    std::vector<GoldenCase> list;
    for (auto& [name, golden] : cases) {
        if (golden.tensors.empty()) {
            throw std::runtime_error("the golden case " + name + " has no tensors");
        }
        list.push_back(std::move(golden));
    }
    return list;
}

}  // namespace trainscope::testing
