// SPDX-License-Identifier: GPL-3.0-or-later
// A bench as files: every figure as CSV, a picture as PNG, SVG or PDF.
#pragma once

#include <QSize>
#include <QString>

#include "engine/core/result.h"
#include "ui/kernels/bench_picture.h"

namespace trainscope::ui {

// Each is written to a temporary file beside it, then renamed. Errors name the file.
Result<void> exportBenchTable(const BenchReport& report, const QString& file);
// The kind of picture by the file's ending; one without an ending, or with another, is refused.
// `size` at 96 dots an inch.
Result<void> exportBenchPicture(const BenchReport& report, std::size_t item, BenchPicture picture,
                                bool dark, QSize size, const QString& file);

}  // namespace trainscope::ui
