// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/picture_file.h"

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <cmath>

#include "engine/record/atomic_file.h"

namespace trainscope::ui {
namespace {

QByteArray asPng(const PaintPicture& paint, const ChartExport& options) {
    const double factor = options.dpi / layout_dpi;
    QImage image(static_cast<int>(std::lround(options.size.width() * factor)),
                 static_cast<int>(std::lround(options.size.height() * factor)),
                 QImage::Format_RGB32);
    if (image.isNull()) {
        return {};
    }
    QPainter painter(&image);
    painter.scale(factor, factor);
    paint(painter);
    painter.end();
    image.setDotsPerMeterX(static_cast<int>(std::lround(options.dpi / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return image.save(&buffer, "png") ? bytes : QByteArray();
}

QByteArray asSvg(const PaintPicture& paint, const ChartExport& options, const QString& title) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(static_cast<int>(layout_dpi));
    svg.setSize(options.size);
    svg.setViewBox(QRect(QPoint(), options.size));
    svg.setTitle(title);
    QPainter painter(&svg);
    paint(painter);
    painter.end();
    return bytes;
}

QByteArray asPdf(const PaintPicture& paint, const ChartExport& options, const QString& title) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setTitle(title);
    pdf.setCreator(QStringLiteral("Trainscope"));
    pdf.setResolution(static_cast<int>(layout_dpi));
    pdf.setPageSize(QPageSize(QSizeF(options.size) * (72 / layout_dpi), QPageSize::Point, QString(),
                              QPageSize::ExactMatch));
    pdf.setPageMargins({});
    QPainter painter(&pdf);
    paint(painter);
    painter.end();
    return bytes;
}

Result<void> write(const QString& file, const QByteArray& bytes) {
    if (bytes.isEmpty()) {
        return make_error(ErrorCode::out_of_memory,
                          "Cannot write '{}': not enough memory for the picture.",
                          file.toStdString());
    }
    auto out = AtomicFile::create(file.toStdString());
    if (!out) {
        return make_error(std::move(out.error()));
    }
    out->write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    return out->commit();
}

}  // namespace

Result<void> writePicture(const QString& file, const ChartExport& options, const QString& title,
                          const PaintPicture& paint) {
    if (Result<void> checked = checkChartExport(options); !checked) {
        return checked;
    }
    if (options.format == QLatin1String("png")) {
        return write(file, asPng(paint, options));
    }
    return write(file, options.format == QLatin1String("svg") ? asSvg(paint, options, title)
                                                              : asPdf(paint, options, title));
}

}  // namespace trainscope::ui
