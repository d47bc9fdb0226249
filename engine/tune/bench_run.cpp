// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/bench_run.h"

#include "engine/tune/contender.h"

namespace trainscope {

namespace {

BenchRow row_of(const BenchRun& run, const Contender& contender) {
    return {.op = run.item->shape.op,
            .layer = run.item->layer,
            .shape = run.item->shape.to_string(),
            .pass = {},
            .variant = contender.offer.name,
            .trainable = contender.offer.trainable,
            .refusal = {},
            .times = {},
            .error = {}};
}

void add_rows(const BenchRun& run, const BenchCase& bench, const Field& field,
              std::vector<BenchRow>& rows) {
    for (std::size_t pass = 0; pass < bench.passes().size(); ++pass) {
        for (const Contender& contender : field.contenders) {
            const bool measured = contender.errors[pass] || contender.times[pass];
            if (contender.kernel == nullptr || !measured) {
                continue;
            }
            BenchRow row = row_of(run, contender);
            row.pass = bench.passes()[pass].name;
            row.flops = bench.passes()[pass].flops;
            row.bytes = bench.compulsory_bytes(bench.passes()[pass]);
            row.workspace_bytes = contender.kernel->workspace_bytes();
            row.times = contender.times[pass];
            row.error = contender.errors[pass];
            rows.push_back(std::move(row));
        }
    }
    for (const Contender& contender : field.contenders) {
        if (contender.offer.refusal) {
            BenchRow row = row_of(run, contender);
            row.refusal = *contender.offer.refusal;
            rows.push_back(std::move(row));
        }
    }
}

// Takes what was found of the same variants in another field.
void take_errors(const Field& from, Field& to) {
    for (Contender& contender : to.contenders) {
        for (const Contender& other : from.contenders) {
            if (other.offer.name != contender.offer.name || contender.kernel == nullptr) {
                continue;
            }
            contender.errors = other.errors;
            if (other.offer.refusal) {
                contender.offer.refusal = other.offer.refusal;
                contender.kernel.reset();
            }
        }
    }
}

Result<void> check(const BenchRun& run, const BenchCase& bench, Field& field) {
    const std::unique_ptr<BenchCase> smaller = case_for_errors(bench, run.options->seed);
    if (smaller == nullptr) {
        return {};
    }
    if (smaller->shape() == bench.shape()) {
        return find_errors(run, bench, field);
    }
    Arena arena(run.runtime->allocator());
    Field smaller_field = make_field(run, *smaller, arena);
    Result<void> found = find_errors(run, *smaller, smaller_field);
    take_errors(smaller_field, field);
    return found;
}

}  // namespace

Result<void> run_bench_item(const BenchRun& run, std::vector<BenchRow>& rows) {
    run.tell(0, "making its tensors");
    const auto bench = make_bench_case(run.item->shape, run.options->seed);
    if (!bench) {
        return make_error(bench.error());
    }
    Arena arena(run.runtime->allocator());
    Field field = make_field(run, **bench, arena);
    Result<void> found = check(run, **bench, field);
    if (found && run.timed) {
        found = find_times(run, **bench, field);
    }
    if (!found && found.error().code == ErrorCode::out_of_memory) {
        // The next item may be smaller.
        for (Contender& contender : field.contenders) {
            if (!contender.offer.refusal) {
                contender.offer.refusal = found.error().message;
            }
        }
        found = {};
    }
    add_rows(run, **bench, field, rows);
    return found;
}

}  // namespace trainscope
