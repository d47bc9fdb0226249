// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ticks of an axis stand: round numbers people count in.
#pragma once

#include <vector>

namespace trainscope::ui {

// The smallest of 1, 2, 5 times a power of ten that cuts the span into at most max_steps parts.
double niceStep(double span, int max_steps);

// The same for times: 1, 2, 5, 10, 15, 30 seconds and minutes, 1, 2, 3, 6, 12 hours, days.
double niceTimeStep(double seconds, int max_steps);

// Multiples of step in [low, high]; at most about a thousand.
std::vector<double> stepTicks(double low, double high, double step);

struct LogTick {
    double value;
    bool labelled;
};
// 0 < low < high. Over many decades powers of ten (each, or every second, third ...), over few ones
// 1, 2, 5 too, and equal steps where less than a decade is shown. Between them unlabelled ticks at
// 2..9.
std::vector<LogTick> logTicks(double low, double high, int max_ticks);

struct Interval {
    double low = 0;
    double high = 1;
};
// The interval widened to multiples of a nice step, so that it rarely changes while data grows.
// One of no width becomes one around the value; never of width 0.
Interval niceInterval(double low, double high, int max_steps);
// The same on a log scale: widened to 1, 2, 5 times a power of ten. 0 < low <= high.
Interval niceLogInterval(double low, double high);

}  // namespace trainscope::ui
