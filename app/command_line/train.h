// SPDX-License-Identifier: GPL-3.0-or-later
// `trainscope train`: the whole job without a window.
#pragma once

#include "app/command_line/arguments.h"

namespace trainscope::command_line {

// Returns the exit code. Ctrl-C (SIGTERM, SIGHUP) gives the step up in its middle and ends the
// training; what was recorded is exported all the same.
int run_train(const Arguments& arguments);

}  // namespace trainscope::command_line
