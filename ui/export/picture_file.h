// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever can be painted, as a PNG, SVG or PDF file.
#pragma once

#include <QPainter>
#include <QString>
#include <functional>

#include "engine/core/result.h"
#include "ui/export/chart_export.h"

namespace trainscope::ui {

// Layouts count in pixels of a screen of so many dots an inch.
inline constexpr double layout_dpi = 96;

// Paints a picture as large as the options say, from 0,0, ground included.
using PaintPicture = std::function<void(QPainter& painter)>;

// Written to a temporary file beside it, then renamed. Error io, out_of_memory or invalid_argument
// names the file or the field. Needs a QGuiApplication.
Result<void> writePicture(const QString& file, const ChartExport& options, const QString& title,
                          const PaintPicture& paint);

}  // namespace trainscope::ui
