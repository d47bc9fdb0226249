// SPDX-License-Identifier: GPL-3.0-or-later
// Writes everything that a training left to a folder: logs, and charts as pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line/arguments.h"
#include "engine/core/result.h"
#include "engine/record/log_export.h"

namespace trainscope::command_line {

// Names for --export-formats: those of log_exporters(), then png, svg and pdf for charts.
std::vector<std::string> export_formats();

// Makes the folder, with its parents. Error io when that fails, or when it cannot be written to.
Result<void> prepare_export_folder(const std::filesystem::path& folder);

// Files of the same names are replaced. What can be written is, whatever failed before it; the
// first error is returned. Makes a QApplication without a display if charts are asked for.
Result<std::vector<std::filesystem::path>> export_run(const TrainOptions& options,
                                                      const Trainer& trainer);

}  // namespace trainscope::command_line
