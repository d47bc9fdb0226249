// SPDX-License-Identifier: GPL-3.0-or-later
// From arguments to settings that can be trained with.
#pragma once

#include "app/command_line/arguments.h"
#include "engine/core/result.h"

namespace trainscope::command_line {

// The arguments laid over the defaults. The optimizer is the model's unless another is asked for,
// which then has the learning rate usual for its kind. Errors: those of find_model; a data folder
// that is missing; an option that the data set does not take (such as a folder).
Result<ui::RunSettings> settle(const Arguments& arguments);

struct SettledWindow {
    ui::RunSettings run;
    std::string fallback;  // what was remembered and no longer works, in a sentence; empty: nothing
};
// The arguments laid over what was used last. A remembered optimizer stays unless a model or an
// optimizer is asked for. Errors are only about what was typed: a remembered model or data folder
// that is gone gives way to the default one.
Result<SettledWindow> settle_window(const Arguments& arguments, ui::RunSettings remembered);

}  // namespace trainscope::command_line
