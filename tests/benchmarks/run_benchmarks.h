// SPDX-License-Identifier: GPL-3.0-or-later
// The main function of the Google Benchmark programs.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

#include "engine/core/spin_limit.h"
#include "tests/benchmarks/training.h"

namespace trainscope::benchmarks {

// Registers with the number of threads of --threads=N, then runs what the filter leaves.
inline int run_benchmarks(int argc, char** argv, void (*register_all)(int threads)) {
    limit_spinning(argv);  // as the program does
    const int threads = take_threads(argc, argv);
    ::benchmark::Initialize(&argc, argv);
    if (::benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return EXIT_FAILURE;
    }
    register_all(threads);
    ::benchmark::RunSpecifiedBenchmarks();
    return EXIT_SUCCESS;
}

}  // namespace trainscope::benchmarks
