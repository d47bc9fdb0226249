// SPDX-License-Identifier: GPL-3.0-or-later
// The main function of the Google Benchmark programs.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

#include "engine/core/spin_limit.h"
#include "tests/benchmarks/training.h"

namespace trainscope::benchmarks {

// Registers for the machine of --device=ID and --threads=N, then runs what the filter leaves.
inline int run_benchmarks(int argc, char** argv, void (*register_all)(const Machine& machine)) {
    limit_spinning(argv);  // as the program does
    const Machine machine = take_machine(argc, argv);
    ::benchmark::Initialize(&argc, argv);
    if (::benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return EXIT_FAILURE;
    }
    register_all(machine);
    ::benchmark::RunSpecifiedBenchmarks();
    return EXIT_SUCCESS;
}

}  // namespace trainscope::benchmarks
