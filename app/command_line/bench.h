// SPDX-License-Identifier: GPL-3.0-or-later
// `trainscope bench`: how fast and how exact the kernel variants are.
#pragma once

#include "app/command_line/arguments.h"

namespace trainscope::command_line {

// Returns the exit code. Ctrl-C (SIGTERM, SIGHUP) ends the bench; what was measured until then is
// printed, and written where a file was asked for.
int run_bench(const BenchArguments& arguments);

}  // namespace trainscope::command_line
