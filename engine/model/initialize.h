// SPDX-License-Identifier: GPL-3.0-or-later
// Initial values of parameters, seeded: the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/model/graph.h"

namespace trainscope {

// Fills `values` (as many as parameter.shape has elements) from a stream of its own, chosen by
// `index`, the parameter's place in the graph. Kaiming normal: N(0, 2 / fan_in), He et al. 2015;
// Glorot uniform: U(+-sqrt(6 / (fan_in + fan_out))), Glorot and Bengio 2010.
void initialize(const ParameterSpec& parameter, std::uint64_t seed, std::size_t index,
                std::span<float> values);

}  // namespace trainscope
