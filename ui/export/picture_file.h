// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever can be painted, as a PNG, SVG or PDF file.
#pragma once

#include <QFont>
#include <QPainter>
#include <QSize>
#include <QString>
#include <functional>
#include <span>

#include "engine/core/result.h"

namespace trainscope::ui {

// How something becomes a picture.
struct PictureOptions {
    QString format = QStringLiteral("png");  // png, svg, pdf
    QSize size{1200, 500};                   // at 96 dots an inch
    // Of a PNG: 192 gives twice as many pixels each way, drawn as such and not scaled up.
    int dpi = 96;

    bool operator==(const PictureOptions&) const = default;
};

// What checkPicture lets through.
struct PictureLimits {
    static constexpr QSize smallest{200, 120};
    static constexpr int largest_side = 20'000;  // pixels of the file
    static constexpr int least_dpi = 24, most_dpi = 1200;
};

// The kinds of picture files there are.
struct PictureFormat {
    const char* name;   // also the files' extension: "png"
    const char* title;  // untranslated, context "charts"
};
std::span<const PictureFormat> pictureFormats();
bool isPictureFormat(const QString& name);

// Whether a picture can be drawn so, before there is one. Error invalid_argument: format, size,
// dpi.
Result<void> checkPicture(const PictureOptions& options);
// "png, svg or pdf".
QString pictureFormatNames();
// Of a PNG file.
QSize pixelsOf(const PictureOptions& options);
// What text in pictures is written in: 9 points, however many dots an inch the screen has.
QFont pictureFont();

// Layouts count in pixels of a screen of so many dots an inch.
inline constexpr double layout_dpi = 96;

// Paints a picture as large as the options say, from 0,0, ground included.
using PaintPicture = std::function<void(QPainter& painter)>;

// Written to a temporary file beside it, then renamed. Error io, out_of_memory or invalid_argument
// names the file or the field. Needs a QGuiApplication.
Result<void> writePicture(const QString& file, const PictureOptions& options, const QString& title,
                          const PaintPicture& paint);

}  // namespace trainscope::ui
