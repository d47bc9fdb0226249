// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/picture_file.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/record/atomic_file.h"

namespace trainscope::ui {
namespace {

constexpr std::array<PictureFormat, 3> formats = {{
    {"png", QT_TRANSLATE_NOOP("charts", "PNG: pixels, for web pages and slides")},
    {"svg", QT_TRANSLATE_NOOP("charts", "SVG: lines, to edit and to scale")},
    {"pdf", QT_TRANSLATE_NOOP("charts", "PDF: lines, to print and for papers")},
}};

Result<void> invalid(const std::string& message) {
    return make_error(ErrorCode::invalid_argument, "{}", message);
}

QByteArray asPng(const PaintPicture& paint, const PictureOptions& options) {
    const double factor = options.dpi / layout_dpi;
    QImage image(pixelsOf(options), QImage::Format_RGB32);
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

QByteArray asSvg(const PaintPicture& paint, const PictureOptions& options, const QString& title) {
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

QByteArray asPdf(const PaintPicture& paint, const PictureOptions& options, const QString& title) {
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

std::span<const PictureFormat> pictureFormats() {
    return formats;
}

bool isPictureFormat(const QString& name) {
    return std::any_of(formats.begin(), formats.end(), [&](const PictureFormat& format) {
        return name == QLatin1String(format.name);
    });
}

QString pictureFormatNames() {
    QString names;
    for (std::size_t i = 0; i < formats.size(); ++i) {
        names += i == 0                    ? QString()
                 : i + 1 == formats.size() ? QStringLiteral(" or ")
                                           : QStringLiteral(", ");
        names += QLatin1String(formats[i].name);
    }
    return names;
}

QSize pixelsOf(const PictureOptions& options) {
    const double factor = options.dpi / layout_dpi;
    return {static_cast<int>(std::lround(options.size.width() * factor)),
            static_cast<int>(std::lround(options.size.height() * factor))};
}

QFont pictureFont() {
    QFont font = QGuiApplication::font();
    font.setPixelSize(12);
    return font;
}

Result<void> checkPicture(const PictureOptions& options) {
    if (!isPictureFormat(options.format)) {
        return invalid(fmt::format("picture format: expected {}, found '{}'",
                                   pictureFormatNames().toStdString(),
                                   options.format.toStdString()));
    }
    using Limits = PictureLimits;
    if (options.dpi < Limits::least_dpi || options.dpi > Limits::most_dpi) {
        return invalid(fmt::format("picture dpi: expected {} to {}, found {}", Limits::least_dpi,
                                   Limits::most_dpi, options.dpi));
    }
    const QSize size = options.size;
    const QSize file = options.format == QLatin1String("png") ? pixelsOf(options) : size;
    if (size.width() < Limits::smallest.width() || size.height() < Limits::smallest.height() ||
        file.width() > Limits::largest_side || file.height() > Limits::largest_side) {
        return invalid(fmt::format(
            "picture size: expected {} x {} to {} x {} pixels in the file, found {} x {} at {} dpi",
            Limits::smallest.width(), Limits::smallest.height(), Limits::largest_side,
            Limits::largest_side, size.width(), size.height(), options.dpi));
    }
    return {};
}

Result<void> writePicture(const QString& file, const PictureOptions& options, const QString& title,
                          const PaintPicture& paint) {
    if (Result<void> checked = checkPicture(options); !checked) {
        return checked;
    }
    if (options.format == QLatin1String("png")) {
        return write(file, asPng(paint, options));
    }
    return write(file, options.format == QLatin1String("svg") ? asSvg(paint, options, title)
                                                              : asPdf(paint, options, title));
}

}  // namespace trainscope::ui
