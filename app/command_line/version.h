// SPDX-License-Identifier: GPL-3.0-or-later
// What --version prints.
#pragma once

#include <string>

namespace trainscope::command_line {

std::string version_text();

}  // namespace trainscope::command_line
