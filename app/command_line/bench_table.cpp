// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/bench_table.h"

#include <fmt/ranges.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "app/command_line/say.h"
#include "app/command_line/table.h"
#include "engine/core/format.h"

namespace trainscope::command_line {

namespace {

std::string time_text(double seconds) {
    return seconds >= 1      ? format_three_digits(seconds) + " s"
           : seconds >= 1e-3 ? format_three_digits(seconds * 1e3) + " ms"
                             : format_three_digits(seconds * 1e6) + " us";
}

std::string error_text(const BenchError& error) {
    // NaN has no sign.
    const std::string value = std::isnan(error.relative_l2)
                                  ? std::string("nan")
                                  : fmt::format("{:.1e}", error.relative_l2);
    return value + (error.within_bound() ? "" : " !");
}

std::string share_text(double share) {
    return share > 0 ? fmt::format("{:.0f} %", share * 100) : std::string("-");
}

TableRow row_text(const BenchReport& report, const BenchRow& row) {
    TableRow text = {"  " + row.variant + (row.trainable ? "" : " *"), row.pass};
    if (row.times) {
        text.insert(text.end(), {time_text(row.times->median), time_text(row.times->lower_quartile),
                                 time_text(row.times->upper_quartile),
                                 format_three_digits(row.flops_per_second() * 1e-9),
                                 share_text(report.share_of_matrix(row)),
                                 format_three_digits(row.bytes_per_second() * 1e-9),
                                 share_text(report.share_of_copy(row))});
    } else {
        text.insert(text.end(), 7, "-");
    }
    text.push_back(format_bytes(row.workspace_bytes));
    if (row.error) {
        text.insert(text.end(), {error_text(*row.error), fmt::format("{:.1e}", row.error->bound)});
    } else {
        text.insert(text.end(), {"-", "-"});
    }
    return text;
}

void print_refusals(const std::vector<const BenchRow*>& rows) {
    for (const BenchRow* const row : rows) {
        if (!row->refusal.empty()) {
            say("  {}: left out: {}\n", row->variant, row->refusal);
        }
    }
}

// The rows of one shape.
void print_item(const BenchReport& report, const std::vector<const BenchRow*>& rows) {
    const BenchRow& first = *rows.front();
    say("\n{} {}{}\n", first.op, first.shape,
        first.layer.empty() ? "" : fmt::format("  ({})", first.layer));
    std::vector<TableRow> table = {{"  variant", "pass", "median", "1st quart.", "3rd quart.",
                                    "GFLOP/s", "matrix", "GB/s", "copy", "workspace", "error",
                                    "bound"}};
    std::string smaller;
    for (const BenchRow* const row : rows) {
        if (row->refusal.empty()) {
            table.push_back(row_text(report, *row));
        }
        if (row->error && row->error->shape != row->shape) {
            smaller = row->error->shape;
        }
    }
    if (table.size() > 1) {
        print_table(table, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    }
    if (!smaller.empty()) {
        say("  errors measured at {}\n", smaller);
    }
    print_refusals(rows);
}

void print_legend(const BenchReport& report) {
    bool teaching = false;
    bool beyond = false;
    for (const BenchRow& row : report.rows) {
        teaching = teaching || (row.refusal.empty() && !row.trainable);
        beyond = beyond || (row.error && !row.error->within_bound());
    }
    if (teaching) {
        say("* for teaching only: it is refused for training\n");
    }
    if (beyond) {
        say("! the error is above its bound\n");
    }
}

// Those that were measured: there may have been no memory for one of them.
void print_ceilings(const BenchCeilings& ceilings) {
    std::vector<std::string> known;
    if (ceilings.bytes_per_second > 0) {
        known.push_back(
            fmt::format("copy {} GB/s", format_three_digits(ceilings.bytes_per_second * 1e-9)));
    }
    if (ceilings.flops_per_second > 0) {
        known.push_back(fmt::format("matrix {} GFLOP/s ({})",
                                    format_three_digits(ceilings.flops_per_second * 1e-9),
                                    ceilings.matrix_variant));
    }
    if (!known.empty()) {
        say("{}; caches cold before each run\n", fmt::join(known, ", "));
    }
}

}  // namespace

void print_bench(const BenchReport& report) {
    say("{} ({}), {} thread{}\n", report.device.description, report.device.id, report.threads,
        report.threads == 1 ? "" : "s");
    print_ceilings(report.ceilings.value_or(BenchCeilings{}));
    if (report.device.kind == DeviceKind::emulated) {
        say("{}\n", emulation_note);
    }
    for (std::size_t begin = 0; begin < report.rows.size();) {
        std::vector<const BenchRow*> rows;
        const BenchRow& first = report.rows[begin];
        while (begin < report.rows.size() && report.rows[begin].op == first.op &&
               report.rows[begin].shape == first.shape) {
            rows.push_back(&report.rows[begin++]);
        }
        print_item(report, rows);
    }
    print_legend(report);
}

}  // namespace trainscope::command_line
