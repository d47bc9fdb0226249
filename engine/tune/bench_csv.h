// SPDX-License-Identifier: GPL-3.0-or-later
// A bench as CSV: a header line, then every figure of every row, in the C locale.
#pragma once

#include <string>

#include "engine/tune/kernel_bench.h"

namespace trainscope {

// Seconds, flops, bytes; shares of 1. What is not known is blank. Numbers read back to the same
// bits.
std::string bench_csv(const BenchReport& report);

}  // namespace trainscope
