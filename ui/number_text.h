// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read and type them, in their locale. Never for files.
#pragma once

#include <QLocale>
#include <QString>
#include <cstdint>
#include <optional>

namespace trainscope::ui {

// "31,530"
QString countText(std::int64_t count, const QLocale& locale = QLocale());
QString bytesText(std::int64_t bytes);  // "12.3 MiB"
QString perSecondText(double rate);     // "8,120", three digits below 100
QString percentText(double fraction);   // "97.02 %"
QString durationText(double seconds);   // "0:42", "1:02:03"
// Three digits that count: "1.23", "12.3", "1,234".
QString threeDigits(double value, const QLocale& locale = QLocale());
QString timeText(double seconds, const QLocale& locale = QLocale());  // "1.23 ms"
// The shortest text that reads back to the same float: "0.05", "1e-07".
QString floatText(float value);
// A number as typed: in the user's locale, or with a point as in files.
std::optional<double> readNumber(const QString& text);

}  // namespace trainscope::ui
