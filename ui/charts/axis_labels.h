// SPDX-License-Identifier: GPL-3.0-or-later
// Units of the charts, and numbers of an axis and of a readout in words.
#pragma once

#include <QLocale>
#include <QString>
#include <vector>

#include "ui/charts/ticks.h"

namespace trainscope::ui {

enum class Unit {
    plain,       // loss, gradient norm, learning rate, epochs
    count,       // steps, samples
    per_second,  // samples/s
    bytes,
    seconds,  // s, ms or µs
    clock,    // h:mm:ss
    share,    // 0..1, shown in percent
};

struct AxisTick {
    double value = 0;
    QString label;  // empty: only a mark
};

struct AxisTicks {
    std::vector<AxisTick> ticks;
    QString unit;  // what the labels count: "MiB", "ms", "%"; may be empty
};

// At most about max_ticks labels over [low, high]. log needs low > 0.
AxisTicks axisTicks(Unit unit, double low, double high, bool log, int max_ticks,
                    const QLocale& locale);

// [low, high] widened to a round interval of the unit (1-2-5 in MiB, not in bytes).
Interval roundInterval(Unit unit, double low, double high, bool log, int max_steps);

// One value with its unit, four digits: "0.5321", "45.2 MiB", "3.21 ms", "97.1 %", "1:02:03".
QString valueText(Unit unit, double value, const QLocale& locale);

// The same without zeros at the end: "24 MiB".
QString amountText(Unit unit, double value, const QLocale& locale);

}  // namespace trainscope::ui
