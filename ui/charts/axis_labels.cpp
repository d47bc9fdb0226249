// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/axis_labels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/number_text.h"

namespace trainscope::ui {
namespace {

constexpr double kibi = 1024.0;

// What one step of the labels is worth: 1 MiB, 1 ms, 1 %.
struct Scaled {
    double one = 1;
    QString name;
};

Scaled scaledUnit(Unit unit, double reach) {
    if (unit == Unit::bytes) {
        const std::array names = {QStringLiteral("B"), QStringLiteral("KiB"), QStringLiteral("MiB"),
                                  QStringLiteral("GiB"), QStringLiteral("TiB")};
        std::size_t level = 0;
        double one = 1;
        while (level + 1 < names.size() && reach >= one * kibi) {
            one *= kibi;
            ++level;
        }
        return {one, names[level]};
    }
    if (unit == Unit::seconds) {
        if (reach >= 1) {
            return {1, QStringLiteral("s")};
        }
        return reach >= 1e-3 ? Scaled{1e-3, QStringLiteral("ms")}
                             : Scaled{1e-6, QStringLiteral("µs")};
    }
    if (unit == Unit::share) {
        return {0.01, QStringLiteral("%")};
    }
    return {1, unit == Unit::per_second ? QStringLiteral("samples/s") : QString()};
}

int decimalsFor(double step) {
    return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
}

QString withoutTrailingZeros(QString text, const QLocale& locale) {
    if (text.contains(locale.decimalPoint())) {
        while (text.endsWith(locale.zeroDigit())) {
            text.chop(1);
        }
        if (text.endsWith(locale.decimalPoint())) {
            text.chop(1);
        }
    }
    return text;
}

QString plainLabel(double value, double step, double reach, const QLocale& locale) {
    if (reach < 1e-3 || reach >= 1e7) {
        if (value == 0) {
            return locale.toString(0);
        }
        // Few digits, as in 2e-05, without the plus sign and zeros of the exponent.
        const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
        const double digits = value / std::pow(10.0, exponent);
        const int decimals =
            std::clamp(exponent - static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 6);
        return withoutTrailingZeros(locale.toString(digits, 'f', decimals), locale) +
               QStringLiteral("e%1").arg(exponent);
    }
    return locale.toString(value, 'f', decimalsFor(step));
}

// 0, 500, 10k, 1.5M; in full where the ticks are too close together for that.
QString countLabel(double value, double step, double reach, const QLocale& locale) {
    if (reach < 10000 || step < 10) {
        return locale.toString(value, 'f', decimalsFor(step));
    }
    const std::array<std::pair<double, const char*>, 3> suffixes = {
        {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const auto& [one, suffix] : suffixes) {
        if (std::abs(value) < one * (1 - 1e-9)) {
            continue;
        }
        if (decimalsFor(step / one) > 3) {
            break;
        }
        return withoutTrailingZeros(locale.toString(value / one, 'f', decimalsFor(step / one)),
                                    locale) +
               QString::fromLatin1(suffix);
    }
    return locale.toString(value, 'f', decimalsFor(step));
}

QString clockText(double seconds, double step, const QLocale& locale) {
    const bool negative = seconds < 0;
    const int decimals = step < 1 ? decimalsFor(step) : 0;
    const double unit = std::pow(10.0, decimals);
    const double rounded = std::round(std::abs(seconds) * unit) / unit;
    const auto whole = static_cast<qint64>(rounded);
    QString text = QStringLiteral("%1:%2:%3")
                       .arg(whole / 3600)
                       .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
                       .arg(whole % 60, 2, 10, QLatin1Char('0'));
    if (decimals > 0) {
        const double part = rounded - static_cast<double>(whole);
        text += locale.decimalPoint() +
                QStringLiteral("%1").arg(std::llround(part * unit), decimals, 10, QLatin1Char('0'));
    }
    return negative ? QLatin1Char('-') + text : text;
}

QString label(Unit unit, double value, double step, double reach, const QLocale& locale) {
    switch (unit) {
        case Unit::clock:
            return clockText(value, step, locale);
        case Unit::count:
        case Unit::per_second:
            return countLabel(value, step, reach, locale);
        default:
            return plainLabel(value, step, reach, locale);
    }
}

}  // namespace

AxisTicks axisTicks(Unit unit, double low, double high, bool log, int max_ticks,
                    const QLocale& locale) {
    AxisTicks result;
    if (!(high > low) || (log && !(low > 0))) {
        return result;
    }
    const Scaled scaled = scaledUnit(unit, std::max(std::abs(low), std::abs(high)));
    result.unit = scaled.name;
    const double scaled_low = low / scaled.one;
    const double scaled_high = high / scaled.one;
    const double reach = std::max(std::abs(scaled_low), std::abs(scaled_high));
    if (log) {
        const bool equal_steps = std::log10(high / low) < 0.7;
        const double step = niceStep(scaled_high - scaled_low, max_ticks);
        for (const LogTick& tick : logTicks(scaled_low, scaled_high, max_ticks)) {
            const double precision = equal_steps ? step : tick.value;
            const double size = equal_steps ? reach : tick.value;
            result.ticks.push_back(
                {tick.value * scaled.one,
                 tick.labelled ? label(unit, tick.value, precision, size, locale) : QString()});
        }
        return result;
    }
    double step = unit == Unit::clock ? niceTimeStep(scaled_high - scaled_low, max_ticks)
                                      : niceStep(scaled_high - scaled_low, max_ticks);
    if (unit == Unit::count || (unit == Unit::bytes && scaled.one == 1)) {
        step = std::max(step, 1.0);  // there is no half a step
    }
    for (const double value : stepTicks(scaled_low, scaled_high, step)) {
        result.ticks.push_back({value * scaled.one, label(unit, value, step, reach, locale)});
    }
    return result;
}

Interval roundInterval(Unit unit, double low, double high, bool log, int max_steps) {
    const Scaled scaled = scaledUnit(unit, std::max(std::abs(low), std::abs(high)));
    const Interval round = log ? niceLogInterval(low / scaled.one, high / scaled.one)
                               : niceInterval(low / scaled.one, high / scaled.one, max_steps);
    return {round.low * scaled.one, round.high * scaled.one};
}

QString amountText(Unit unit, double value, const QLocale& locale) {
    const QString text = valueText(unit, value, locale);
    const qsizetype space = text.indexOf(QChar(0x00a0));
    return space < 0 ? withoutTrailingZeros(text, locale)
                     : withoutTrailingZeros(text.left(space), locale) + text.mid(space);
}

QString valueText(Unit unit, double value, const QLocale& locale) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? QStringLiteral("NaN")
               : value > 0       ? QStringLiteral("∞")
                                 : QStringLiteral("-∞");
    }
    if (unit == Unit::clock) {
        return clockText(value, 1, locale);
    }
    if (unit == Unit::count) {
        return countText(std::llround(value), locale);
    }
    const Scaled scaled = scaledUnit(unit, std::abs(value));
    const double shown = value / scaled.one;
    const double size = std::abs(shown);
    if (unit == Unit::plain && size != 0 && (size < 1e-3 || size >= 1e7)) {
        const double step = std::pow(10.0, std::floor(std::log10(size)) - 3);
        return plainLabel(shown, step, size, locale);
    }
    const int before_point = size < 1 ? (unit == Unit::plain ? 0 : 1)
                                      : static_cast<int>(std::floor(std::log10(size))) + 1;
    const bool whole = scaled.one == 1 && unit == Unit::bytes;
    const int decimals = whole ? 0 : std::clamp(4 - before_point, 0, 4);
    const QString number = locale.toString(shown, 'f', decimals);
    return scaled.name.isEmpty() ? number : number + QChar(0x00a0) + scaled.name;
}

}  // namespace trainscope::ui
