// SPDX-License-Identifier: GPL-3.0-or-later
// The options of `trainscope bench`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/command_line/arguments.h"

namespace trainscope::command_line {

void add_bench_options(CLI::App& app, BenchArguments& bench);
// Once all were read: refuses those of a model where there is none.
void check_bench_options(const CLI::App& app, const BenchArguments& bench);

}  // namespace trainscope::command_line
