// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/say.h"
#include "engine/core/printable.h"

namespace trainscope::command_line {

void print_table(std::vector<TableRow> rows, const std::set<std::size_t>& numbers) {
    for (TableRow& row : rows) {
        std::transform(row.begin(), row.end(), row.begin(), printable);
    }
    std::vector<std::size_t> widths;
    for (const TableRow& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    for (const TableRow& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (numbers.contains(i)) {
                line += fmt::format("{:>{}}  ", row[i], widths[i]);
            } else {
                line += fmt::format("{:<{}}  ", row[i], widths[i]);
            }
        }
        line.erase(line.find_last_not_of(' ') + 1);
        say("{}\n", line);
    }
}

}  // namespace trainscope::command_line
