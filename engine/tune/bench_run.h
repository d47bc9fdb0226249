// SPDX-License-Identifier: GPL-3.0-or-later
// One item of the bench: its variants are checked against the reference and then timed by turns.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/core/device_runtime.h"
#include "engine/tune/kernel_bench.h"

namespace trainscope {

struct BenchRun {
    const BenchOptions* options;
    const BenchItem* item;
    DeviceRuntime* runtime;
    int threads;
    bool timed;
    std::function<void(double share_of_item, std::string_view doing)> tell;
    std::function<bool(const std::string& variant)> wanted;

    bool stopped() const { return options->stop.stop_requested(); }
};

// Adds a row for each variant and pass, whatever the outcome. Errors: the shape cannot be, or the
// device failed.
Result<void> run_bench_item(const BenchRun& run, std::vector<BenchRow>& rows);

}  // namespace trainscope
