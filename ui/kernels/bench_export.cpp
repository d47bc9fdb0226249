// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/bench_export.h"

#include <QFileInfo>
#include <QGuiApplication>

#include "engine/record/atomic_file.h"
#include "engine/tune/bench_csv.h"
#include "ui/export/picture_file.h"
#include "ui/kernels/bench_text.h"

namespace trainscope::ui {

Result<void> exportBenchTable(const BenchReport& report, const QString& file) {
    auto out = AtomicFile::create(file.toStdString());
    if (!out) {
        return make_error(std::move(out.error()));
    }
    out->write(bench_csv(report));
    return out->commit();
}

Result<void> exportBenchPicture(const BenchReport& report, std::size_t item, BenchPicture picture,
                                bool dark, QSize size, const QString& file) {
    PictureOptions options;
    options.format = QFileInfo(file).suffix().toLower();
    if (!isPictureFormat(options.format)) {
        return make_error(ErrorCode::invalid_argument, "{}: expected a name that ends in {}",
                          file.toStdString(), pictureFormatNames().toStdString());
    }
    options.size = size;
    const BenchPictureInput input{.report = report,
                                  .item = item,
                                  .colors = colorsFor(dark),
                                  .font = pictureFont(),
                                  .locale = QLocale::c()};
    const QString title =
        item < report.rows.size() ? itemText(report.rows[item]) : QStringLiteral("Trainscope");
    return writePicture(file, options, title, [&](QPainter& painter) {
        paintBenchPicture(painter, QRectF(QPointF(), QSizeF(size)), picture, input);
    });
}

}  // namespace trainscope::ui
