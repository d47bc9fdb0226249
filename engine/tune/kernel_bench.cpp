// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/kernel_bench.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/device_backend.h"
#include "engine/core/near_name.h"
#include "engine/ops/dense.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/matrix_multiply.h"
#include "engine/tune/bench_run.h"
#include "engine/tune/ceilings.h"

namespace trainscope {

namespace {

double share(double rate, double ceiling) {
    return ceiling > 0 && std::isfinite(ceiling) ? rate / ceiling : 0;
}

bool is_wanted(const BenchOptions& options, const std::string& variant) {
    const std::vector<std::string>& wanted = options.variants;
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), variant) != wanted.end();
}

// Rows of the matrix product itself may be faster than what was measured beforehand.
void raise_ceiling(BenchReport& report) {
    for (const BenchRow& row : report.rows) {
        const double rate = row.flops_per_second();
        const bool product = row.op == Dense::name || row.op == MatrixMultiply::name;
        if (product && row.trainable && rate > report.ceilings->flops_per_second) {
            report.ceilings->flops_per_second = rate;
            report.ceilings->matrix_variant = row.op + " " + row.variant;
        }
    }
}

}  // namespace

double BenchReport::share_of_copy(const BenchRow& row) const {
    return ceilings ? share(row.bytes_per_second(), ceilings->bytes_per_second) : 0;
}

double BenchReport::share_of_matrix(const BenchRow& row) const {
    return ceilings ? share(row.flops_per_second(), ceilings->flops_per_second) : 0;
}

Result<void> check_bench_variants(const BenchOptions& options) {
    std::set<std::string_view> ops;
    for (const BenchItem& item : options.items) {
        ops.insert(item.shape.op);
    }
    const std::vector<VariantInfo> infos = list_variants(options.device.kind);
    if (ops.empty()) {  // no operator has a variant of such a name
        const std::vector<std::string_view> all = bench_operator_names();
        ops.insert(all.begin(), all.end());
    }
    std::vector<std::string_view> known;
    for (const VariantInfo& info : infos) {
        if (ops.contains(info.op) &&
            std::find(known.begin(), known.end(), info.name) == known.end()) {
            known.push_back(info.name);
        }
    }
    for (const std::string& name : options.variants) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return make_error(ErrorCode::not_found, "there is no variant '{}' of {} on {}{}", name,
                              fmt::join(ops, ", "), name_of(options.device.kind),
                              known_names_hint(name, known));
        }
    }
    return {};
}

BenchReport run_kernel_bench(const BenchOptions& options) {
    BenchReport report;
    report.device = options.device;
    report.threads = options.threads > 0 ? options.threads : options.device.threads;
    const auto stopped = [&] { return options.stop.stop_requested(); };
    const auto tell = [&](double done, std::string doing) {
        if (options.progress) {
            options.progress({done, std::move(doing)});
        }
    };
    auto runtime = open_device(options.device);
    if (!runtime) {
        report.ended_by = runtime.error();
        return report;
    }
    const bool timed = options.device.kind != DeviceKind::emulated;
    if (timed && options.ceilings) {
        report.ceilings = options.ceilings;
    } else if (timed) {
        tell(0, "measuring what the device can do at best");
        const BenchCeilings found =
            measure_ceilings(**runtime, options.device, report.threads, options.stop);
        if (!stopped()) {  // else they are nothing that the device can do at best
            report.ceilings = found;
        }
    }
    const auto count = static_cast<double>(options.items.size());
    for (std::size_t i = 0; i < options.items.size() && !stopped() && !report.ended_by; ++i) {
        const BenchItem& item = options.items[i];
        const BenchRun run{
            .options = &options,
            .item = &item,
            .runtime = runtime->get(),
            .threads = report.threads,
            .timed = timed,
            .tell =
                [&](double within, std::string_view doing) {
                    tell((static_cast<double>(i) + within) / count,
                         fmt::format("{} {}: {}", item.shape.op, item.shape.to_string(), doing));
                },
            .wanted = [&](const std::string& v) { return is_wanted(options, v); }};
        if (const Result<void> ran = run_bench_item(run, report.rows); !ran) {
            report.ended_by = ran.error();
        }
        if (report.ceilings) {
            raise_ceiling(report);
        }
        if (options.found) {
            options.found(report);
        }
    }
    if (stopped() && !report.ended_by) {
        report.ended_by = Error{ErrorCode::cancelled, "The bench was cancelled."};
    }
    return report;
}

}  // namespace trainscope
