// SPDX-License-Identifier: GPL-3.0-or-later
// The two pictures of a bench, of the variants of one shape: bars of their times, and the roofline
// (Williams, Waterman and Patterson 2009). The same for screen, PNG, SVG and PDF.
#pragma once

#include <QFont>
#include <QLocale>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <vector>

#include "engine/tune/kernel_bench.h"
#include "ui/theme/palette.h"

namespace trainscope::ui {

enum class BenchPicture { times, roofline };

struct BenchPictureInput {
    const BenchReport& report;
    std::size_t item = 0;  // a row of the shape that is shown
    const Colors& colors;
    QFont font;  // of the program
    QLocale locale;
};

// Whatever does not fit the box is left out or elided, never drawn beside it.
void paintBenchPicture(QPainter& painter, const QRectF& box, BenchPicture picture,
                       const BenchPictureInput& input);

// The rows of the shape that were run.
std::vector<const BenchRow*> rowsRun(const BenchReport& report, std::size_t item);

}  // namespace trainscope::ui
