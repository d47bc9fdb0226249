// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of text on stdout.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace trainscope::command_line {

using TableRow = std::vector<std::string>;

// Columns as wide as their widest entry; the last is not padded. Those in `numbers` end at the
// right. Cells are printed as printable() has them.
void print_table(std::vector<TableRow> rows, const std::set<std::size_t>& numbers = {});

}  // namespace trainscope::command_line
