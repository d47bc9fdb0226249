// SPDX-License-Identifier: GPL-3.0-or-later
// The error of each variant against the float64 reference.
#include <algorithm>
#include <cmath>

#include "engine/ops/error_bound.h"
#include "engine/tune/bench_tensors.h"
#include "engine/tune/cases/operator.h"
#include "engine/tune/contender.h"

namespace trainscope {

namespace {

// What the reference does in a second or two, and what is too long to wait for.
constexpr double comfortable_flops = 2e9;
constexpr double most_flops = 4e10;

double flops_of(const BenchCase& bench) {
    double flops = 0;
    for (const BenchPass& pass : bench.passes()) {
        flops += pass.flops;
    }
    return flops;
}

// How far over its bound; NaN is farther than anything.
double badness(const BenchError& error) {
    return std::isnan(error.relative_l2) ? HUGE_VAL
           : error.bound == 0            ? (error.relative_l2 > 0 ? HUGE_VAL : 0)
                                         : error.relative_l2 / error.bound;
}

BenchError worst_error(const BenchCase& bench, const BenchTensors& tensors,
                       std::span<const ExpectedTensor> expected, Arithmetic arithmetic) {
    std::optional<BenchError> worst;
    for (const ExpectedTensor& wanted : expected) {
        const BenchError error{
            .relative_l2 = relative_l2_error(
                std::span<const double>(tensors.download(wanted.tensor)), wanted.values),
            .bound = error_bound(arithmetic, wanted.terms),
            .tensor = std::string(bench.tensors()[wanted.tensor].name),
            .shape = bench.shape().to_string()};
        if (!worst || badness(error) > badness(*worst)) {
            worst = error;
        }
    }
    return worst.value();
}

}  // namespace

std::unique_ptr<BenchCase> case_for_errors(const BenchCase& bench, std::uint64_t seed) {
    const double flops = flops_of(bench);
    BenchShape smaller = bench.shape();
    const double degree = bench::find_operator(smaller.op)->degree;
    std::int64_t& batch = smaller.values.front();  // see Operator::fields
    const auto size = static_cast<double>(batch);
    const double share = std::min(1.0, comfortable_flops / std::max(flops, 1.0));
    batch =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(size * std::pow(share, 1 / degree)));
    if (flops * std::pow(static_cast<double>(batch) / size, degree) > most_flops) {
        return nullptr;
    }
    auto made = make_bench_case(smaller, seed);
    return made ? std::move(*made) : nullptr;
}

Result<void> find_errors(const BenchRun& run, const BenchCase& bench, Field& field) {
    Arena arena(run.runtime->allocator());
    auto tensors = BenchTensors::create(bench, *run.runtime, arena);
    if (!tensors) {
        return make_error(tensors.error());
    }
    const auto passes = static_cast<double>(bench.passes().size());
    for (std::size_t pass = 0; pass < bench.passes().size() && !run.stopped(); ++pass) {
        const double share = share_of_checking * static_cast<double>(pass) / passes;
        run.tell(share, "computing the float64 reference");
        const std::vector<ExpectedTensor> expected = bench.expected(pass);
        for (Contender& contender : field.contenders) {
            if (contender.kernel == nullptr || run.stopped()) {
                continue;
            }
            run.tell(share + share_of_checking / 2 / passes, "checking " + contender.offer.name);
            tensors->reset();
            for (std::size_t before = 0; before <= pass; ++before) {
                contender.kernel->run(before, tensors->pointers(), field.workspace.data());
            }
            run.runtime->finish();
            if (const Result<void> status = run.runtime->status(); !status) {
                return make_error(status.error().code, "{} ({}): {}", bench.shape().op,
                                  contender.offer.name, status.error().message);
            }
            if (const Result<void> outcome =
                    bench.outcome([&](std::size_t tensor) { return tensors->download(tensor); });
                !outcome) {
                contender.offer.refusal = outcome.error().message;
                contender.kernel.reset();
                continue;
            }
            contender.errors[pass] =
                worst_error(bench, *tensors, expected, contender.offer.arithmetic);
        }
    }
    return {};
}

}  // namespace trainscope
