// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the window, where there is a display.
#pragma once

#include "app/command_line/arguments.h"

namespace trainscope {

// Returns the exit code once the window was closed.
int run_window(const command_line::Arguments& arguments, int argc, char** argv);

}  // namespace trainscope
