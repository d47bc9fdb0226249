// SPDX-License-Identifier: GPL-3.0-or-later
// `trainscope datasets|models|devices|variants`: what there is to choose from.
#pragma once

#include "app/command_line/arguments.h"

namespace trainscope::command_line {

// Each returns the exit code.
int list_datasets(const Arguments& arguments);  // or size and classes of the one that is named
int list_models(const Arguments& arguments);    // or the layers of the one that is named
int list_devices_of_machine();
int list_kernel_variants();

}  // namespace trainscope::command_line
