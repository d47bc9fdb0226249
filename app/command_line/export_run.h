// SPDX-License-Identifier: GPL-3.0-or-later
// Writes everything that a training left to a folder: logs, and charts as pictures.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/arguments.h"
#include "engine/core/result.h"
#include "engine/train/trainer.h"
#include "ui/export/export_job.h"

namespace trainscope::command_line {

// Names for --export-formats: those of log_exporters(), then png, svg and pdf for charts.
std::vector<std::string> export_formats();

// Before the training: makes the folder, and checks that files can be made in it and what the
// charts are to be. Errors name the option.
Result<void> prepare_export(const TrainOptions& options);

// Files of the same names are replaced. Where a log cannot be written no charts are: none of them
// stands there without the numbers that it shows. Makes a QApplication without a display if charts
// are asked for.
ui::ExportResult export_run(const TrainOptions& options, const Trainer& trainer);

}  // namespace trainscope::command_line
