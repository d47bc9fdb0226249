// SPDX-License-Identifier: GPL-3.0-or-later
// From arguments to settings that can be trained with.
#pragma once

#include "app/command_line/arguments.h"
#include "engine/core/result.h"

namespace trainscope::command_line {

// The arguments laid over `base`. The optimizer is the model's unless another is asked for, which
// then has the learning rate usual for its kind. Errors: those of find_model; a data folder that is
// missing, or given to a data set that reads no files.
Result<ui::RunSettings> settle(const Arguments& arguments, const ui::RunSettings& base);

}  // namespace trainscope::command_line
