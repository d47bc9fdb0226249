// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel bench: how fast and how exact each variant of an operator is for a shape, beside what
// the device can do at best.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/device.h"
#include "engine/core/result.h"
#include "engine/model/graph.h"
#include "engine/tune/bench_shape.h"

namespace trainscope {

struct BenchItem {
    BenchShape shape;
    std::string layer;  // of a model, or several of the same shape: "conv1, conv2"; else empty
};

// The layers of a model for a batch, those of the same shape once, and its optimizer.
std::vector<BenchItem> bench_items(const Graph& graph, std::int64_t micro_batch,
                                   OptimizerKind optimizer);

// What the device did at best, beside which rows are shown.
struct BenchCeilings {
    double bytes_per_second = 0;  // of a copy, reads and writes counted
    double flops_per_second = 0;  // of the best matrix product
    std::string matrix_variant;   // "dense onednn"
};

struct BenchProgress {
    double share = 0;  // 0..1
    std::string doing;
};

struct BenchTimes {
    double median = 0, lower_quartile = 0, upper_quartile = 0;  // seconds
    int runs = 0;
};

// The error of the tensor that is worst by its bound, against the float64 reference.
struct BenchError {
    double relative_l2 = 0;
    double bound = 0;  // numerics.md, "Tolerances"
    std::string tensor;
    std::string shape;  // that it was measured at, a smaller batch where that of the row is large

    bool within_bound() const { return relative_l2 <= bound; }  // NaN is not
};

// One variant, one pass. A variant that was left out has one row, with `refusal` and no pass.
struct BenchRow {
    std::string op, layer, shape, pass, variant;
    bool trainable = true;
    std::string refusal;               // why it was left out: it refuses the shape, or failed
    std::optional<BenchTimes> times;   // none on an emulated device
    std::optional<BenchError> error;   // none where the reference would take too long
    double flops = 0;                  // of a run, as the definition has them
    double bytes = 0;                  // each tensor read or written once
    std::int64_t workspace_bytes = 0;  // of the variant, for either pass

    // 0 without times.
    double flops_per_second() const { return times ? flops / times->median : 0; }
    double bytes_per_second() const { return times ? bytes / times->median : 0; }
};

struct BenchReport {
    DeviceInfo device;
    int threads = 1;
    std::vector<BenchRow> rows;
    // None on an emulated device, whose times are the host's.
    std::optional<BenchCeilings> ceilings;
    // Why not everything was measured: cancelled, or what the device said.
    std::optional<Error> ended_by;

    // Of 1; 0 where it is not known.
    double share_of_copy(const BenchRow& row) const;
    double share_of_matrix(const BenchRow& row) const;
};

struct BenchOptions {
    std::vector<BenchItem> items;
    std::vector<std::string> variants;  // only these; empty: all
    DeviceInfo device;
    int threads = 0;  // 0: as many as the device has
    std::uint64_t seed = 1;
    double seconds = 0.5;  // about so long for each variant and pass, at least `least_runs`
    int least_runs = 5;
    int most_runs = 200;
    std::optional<BenchCeilings> ceilings;  // as an earlier bench found them, with as many threads
    std::stop_token stop;
    std::function<void(const BenchProgress&)> progress;
    // After each item, with what there is until then.
    std::function<void(const BenchReport&)> found;
};

// Runs on the calling thread until done, stopped or failed; what was measured until then is in the
// report.
BenchReport run_kernel_bench(const BenchOptions& options);

// Errors: a name that no operator of the items has on the device, with the nearest of those it has.
Result<void> check_bench_variants(const BenchOptions& options);

}  // namespace trainscope
