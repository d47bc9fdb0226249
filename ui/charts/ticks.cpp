// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::ui {
namespace {

constexpr double slack = 1e-9;  // of a step: what rounding may be off

double powerOfTen(double exponent) {
    return std::pow(10.0, exponent);
}

// The largest of 1, 2, 5 * 10^k at or below the value, and the next above it.
double roundDown125(double value) {
    const double power = powerOfTen(std::floor(std::log10(value) + slack));
    for (const double factor : {5.0, 2.0}) {
        if (value >= factor * power * (1 - slack)) {
            return factor * power;
        }
    }
    return power;
}

double roundUp125(double value) {
    const double power = powerOfTen(std::floor(std::log10(value) + slack));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (value <= factor * power * (1 + slack)) {
            return factor * power;
        }
    }
    return 10 * power;
}

}  // namespace

double niceStep(double span, int max_steps) {
    return roundUp125(span / std::max(1, max_steps));
}

double niceTimeStep(double seconds, int max_steps) {
    constexpr double minute = 60, hour = 3600, day = 86400;
    constexpr std::array steps = {1.0,         2.0,         5.0,        10.0,       15.0,
                                  30.0,        minute,      2 * minute, 5 * minute, 10 * minute,
                                  15 * minute, 30 * minute, hour,       2 * hour,   3 * hour,
                                  6 * hour,    12 * hour,   day};
    const double at_least = seconds / std::max(1, max_steps);
    if (at_least <= 0.5) {
        return niceStep(seconds, max_steps);
    }
    for (const double step : steps) {
        if (step >= at_least * (1 - slack)) {
            return step;
        }
    }
    return day * roundUp125(at_least / day);
}

std::vector<double> stepTicks(double low, double high, double step) {
    std::vector<double> ticks;
    const double first = std::ceil(low / step - slack);
    const double last = std::floor(high / step + slack);
    if (!(last - first < 1000)) {
        return ticks;
    }
    for (double i = first; i <= last; ++i) {
        ticks.push_back(i == 0 ? 0.0 : i * step);
    }
    return ticks;
}

std::vector<LogTick> logTicks(double low, double high, int max_ticks) {
    std::vector<LogTick> ticks;
    const double decades = std::log10(high / low);
    if (decades < 0.7) {
        for (const double value : stepTicks(low, high, niceStep(high - low, max_ticks))) {
            ticks.push_back({value, true});
        }
        return ticks;
    }
    const bool label_2_and_5 = decades * 3 <= max_ticks;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / max_ticks)));
    const int first = static_cast<int>(std::floor(std::log10(low) - slack));
    const int last = static_cast<int>(std::ceil(std::log10(high) + slack));
    for (int exponent = first; exponent <= last; ++exponent) {
        for (int digit = 1; digit <= (every == 1 ? 9 : 1); ++digit) {
            const double value = digit * powerOfTen(exponent);
            if (value < low * (1 - slack) || value > high * (1 + slack)) {
                continue;
            }
            const bool labelled =
                digit == 1 ? exponent % every == 0 : label_2_and_5 && (digit == 2 || digit == 5);
            ticks.push_back({value, labelled});
        }
    }
    return ticks;
}

Interval niceInterval(double low, double high, int max_steps) {
    if (!(high > low)) {
        const double reach = low == 0 ? 1 : std::abs(low) * 0.5;
        low -= reach;
        high += reach;
    }
    // Widening may need a larger step, and that a wider interval: the ends stand on ticks.
    Interval result{low, high};
    for (int pass = 0; pass < 3; ++pass) {
        const double step = niceStep(result.high - result.low, max_steps);
        result = {std::floor(low / step + slack) * step, std::ceil(high / step - slack) * step};
    }
    return result;
}

Interval niceLogInterval(double low, double high) {
    Interval result{roundDown125(low), roundUp125(high)};
    if (result.low >= result.high) {
        result.low = roundDown125(low * 0.9);
        result.high = roundUp125(high * 1.1);
    }
    return result;
}

}  // namespace trainscope::ui
