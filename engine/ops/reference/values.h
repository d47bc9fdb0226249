// SPDX-License-Identifier: GPL-3.0-or-later
// The float64 reference of the operators: their definitions as plain loops, for tests and for the
// errors that are shown beside kernels. Nothing here is fast, and nothing should be made so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainscope::reference {

using Values = std::vector<double>;

// A place in a tensor, counted with signs because shapes are.
inline std::size_t at(std::int64_t place) {
    return static_cast<std::size_t>(place);
}
inline Values zeros(std::int64_t count) {
    return Values(at(count), 0.0);
}

}  // namespace trainscope::reference
