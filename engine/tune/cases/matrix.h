// SPDX-License-Identifier: GPL-3.0-or-later
// What the cases of matrices share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tune/cases/operator.h"

namespace trainscope::bench {

// A matrix [m, n], row by row, of normal numbers that is far from singular: noise whose greatest
// singular value is about 1 + sqrt(min / max), and 3 on the diagonal that runs up, where no pivot
// is at its place to begin with. Its singular values lie between about 1 and 5 whatever its size.
std::vector<float> far_from_singular(std::int64_t m, std::int64_t n, BenchData& data);

// The field that says whether it stays so.
BenchField rank_field(std::string_view meaning);
inline bool is_deficient(const BenchShape& shape) {
    return shape["rank"] == 1;
}

}  // namespace trainscope::bench
