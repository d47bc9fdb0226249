// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/core/format.h"

namespace trainscope::ui {

QString countText(std::int64_t count, const QLocale& locale) {
    return locale.toString(static_cast<qlonglong>(count));
}

QString bytesText(std::int64_t bytes) {
    return QLocale().formattedDataSize(bytes, 1, QLocale::DataSizeIecFormat);
}

QString perSecondText(double rate) {
    if (!std::isfinite(rate)) {
        return {};
    }
    return rate >= 100 ? QLocale().toString(std::round(rate), 'f', 0)
                       : QLocale().toString(rate, 'g', 3);
}

QString percentText(double fraction) {
    return QStringLiteral("%1\u00a0%2")
        .arg(QLocale().toString(fraction * 100, 'f', 2), QLocale().percent());
}

QString threeDigits(double value, const QLocale& locale) {
    return locale.toString(value, 'f', decimals_of_three_digits(value));
}

QString timeText(double seconds, const QLocale& locale) {
    if (seconds >= 1) {
        return threeDigits(seconds, locale) + QStringLiteral(" s");
    }
    return seconds >= 1e-3 ? threeDigits(seconds * 1e3, locale) + QStringLiteral(" ms")
                           : threeDigits(seconds * 1e6, locale) + QStringLiteral(" µs");
}

QString durationText(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) {
        return {};
    }
    const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e15));
    const QLatin1Char zero('0');
    const std::int64_t hours = whole / 3600;
    const QString tail = QStringLiteral(":%1").arg(whole % 60, 2, 10, zero);
    return hours > 0 ? QStringLiteral("%1:%2").arg(hours).arg(whole / 60 % 60, 2, 10, zero) + tail
                     : QString::number(whole / 60) + tail;
}

QString floatText(float value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    const QString text = QString::fromLatin1(digits, end.ptr - digits);
    // The digits stay; only the point becomes the locale's.
    return QString(text).replace(QLatin1Char('.'), QLocale().decimalPoint());
}

std::optional<double> readNumber(const QString& text) {
    const QString number = text.trimmed();
    // "0,005" is no five in any locale: separators of thousands are not read.
    for (QLocale locale : {QLocale::c(), QLocale()}) {
        locale.setNumberOptions(QLocale::RejectGroupSeparator);
        bool right = false;
        const double value = locale.toDouble(number, &right);
        if (right) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace trainscope::ui
