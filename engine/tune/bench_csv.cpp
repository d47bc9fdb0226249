// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/bench_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "engine/core/csv_field.h"

namespace trainscope {

namespace {

std::string number(double value) {
    return fmt::format("{}", value);
}

std::string known(double value) {
    return value > 0 ? number(value) : std::string();
}

constexpr std::string_view columns =
    "device,threads,op,layer,shape,pass,variant,trainable,refusal,"
    "median_seconds,lower_quartile_seconds,upper_quartile_seconds,runs,flops,bytes,"
    "flops_per_second,bytes_per_second,share_of_matrix_rate,share_of_copy_bandwidth,"
    "workspace_bytes,relative_error,error_bound,error_tensor,error_shape,"
    "matrix_flops_per_second,matrix_variant,copy_bytes_per_second\n";

void append(std::vector<std::string>& fields, std::initializer_list<std::string> more) {
    fields.insert(fields.end(), more);
}

std::string line_of(const BenchReport& report, const BenchRow& row) {
    std::vector<std::string> fields = {csv_field(report.device.id),
                                       number(report.threads),
                                       row.op,
                                       csv_field(row.layer),
                                       csv_field(row.shape),
                                       row.pass,
                                       row.variant,
                                       row.trainable ? "yes" : "no",
                                       csv_field(row.refusal)};
    if (row.times) {
        append(fields, {number(row.times->median), number(row.times->lower_quartile),
                        number(row.times->upper_quartile), std::to_string(row.times->runs)});
    } else {
        append(fields, {"", "", "", ""});
    }
    const bool run = row.refusal.empty();
    append(fields, {run ? number(row.flops) : "", run ? number(row.bytes) : ""});
    append(fields, {known(row.flops_per_second()), known(row.bytes_per_second()),
                    known(report.share_of_matrix(row)), known(report.share_of_copy(row))});
    fields.push_back(run ? std::to_string(row.workspace_bytes) : "");
    if (row.error) {
        append(fields, {number(row.error->relative_l2), number(row.error->bound), row.error->tensor,
                        csv_field(row.error->shape)});
    } else {
        append(fields, {"", "", "", ""});
    }
    const BenchCeilings ceilings = report.ceilings.value_or(BenchCeilings{});
    append(fields, {known(ceilings.flops_per_second), ceilings.matrix_variant,
                    known(ceilings.bytes_per_second)});
    return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string bench_csv(const BenchReport& report) {
    std::string text(columns);
    for (const BenchRow& row : report.rows) {
        text += line_of(report, row);
    }
    return text;
}

}  // namespace trainscope
