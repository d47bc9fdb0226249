// SPDX-License-Identifier: GPL-3.0-or-later
// The variants that take part in one item of the bench, and what is found of each:
// contender_errors.cpp finds the errors, contender_times.cpp the times.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/arena.h"
#include "engine/tune/bench_case.h"
#include "engine/tune/bench_run.h"

namespace trainscope {

// Of an item's progress; the rest is for its times.
inline constexpr double share_of_checking = 0.3;

struct Contender {
    VariantOffer offer;
    std::unique_ptr<BenchKernel> kernel;            // none where it was refused
    std::vector<std::optional<BenchError>> errors;  // for each pass
    std::vector<std::optional<BenchTimes>> times;   // for each pass
};

// The kernels of a case, with a workspace that is large enough for each. Those that cannot be made
// say why in their offer's refusal.
struct Field {
    std::vector<Contender> contenders;
    Buffer workspace;
};
Field make_field(const BenchRun& run, const BenchCase& bench, Arena& arena);

// A smaller batch where the reference of this shape would take too long; nullptr where even that of
// one sample would.
std::unique_ptr<BenchCase> case_for_errors(const BenchCase& bench, std::uint64_t seed);

// Fills in `errors`. Error device_failed.
Result<void> find_errors(const BenchRun& run, const BenchCase& bench, Field& field);
// Fills in `times`. Errors: device_failed, out_of_memory.
Result<void> find_times(const BenchRun& run, const BenchCase& bench, Field& field);

}  // namespace trainscope
