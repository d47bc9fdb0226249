// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of models share: models from short JSON, and the sentence of a refusal.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "engine/model/graph.h"
#include "engine/model/model_spec.h"

namespace trainscope::testing {

// The message of a result that must be an error; a failed test where it is none.
template <class T>
std::string refusal(const Result<T>& result) {
    if (result) {
        ADD_FAILURE() << "expected an error, but it was accepted";
        return "";
    }
    return result.error().message;
}

inline ModelSpec preset(std::string_view name) {
    return find_model(std::string(name)).value();
}

// A model of these layers (the inside of a JSON list), ended by flatten, dense and the loss.
inline ModelSpec model_of(std::string_view layers) {
    const std::string json = fmt::format(
        R"({{"name": "test", "layers": [{}{}{{"type": "flatten"}},
            {{"type": "dense", "units": "classes"}}, {{"type": "softmax_cross_entropy"}}]}})",
        layers, layers.empty() ? "" : ", ");
    return parse_model(json, "test.json").value();
}

// The same with exactly these layers.
inline ModelSpec exact_model(std::string_view layers) {
    return parse_model(fmt::format(R"({{"name": "test", "layers": [{}]}})", layers), "test.json")
        .value();
}

}  // namespace trainscope::testing
