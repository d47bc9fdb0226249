// SPDX-License-Identifier: GPL-3.0-or-later
// A bench as a person reads it on a terminal.
#pragma once

#include "engine/tune/kernel_bench.h"

namespace trainscope::command_line {

void print_bench(const BenchReport& report);

}  // namespace trainscope::command_line
