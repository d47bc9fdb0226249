// SPDX-License-Identifier: GPL-3.0-or-later
// Places in an x column. Steps, samples, epochs and active time never decrease, so all of them are
// searched by halving.
#pragma once

#include <cstddef>

#include "engine/core/column.h"

namespace trainscope::ui {

// First index in [begin, end) whose x is at least / more than the value; end where there is none.
std::size_t firstNotBelow(const Column<double>& x, std::size_t begin, std::size_t end,
                          double value);
std::size_t firstAbove(const Column<double>& x, std::size_t begin, std::size_t end, double value);

// The index whose x is closest, count > 0. Of two as close the earlier.
std::size_t nearestIndex(const Column<double>& x, std::size_t count, double value);

// Where a value lies between the points: 2.5 is halfway between x[2] and x[3]. Goes on straight
// before the first and after the last point, so that it can be taken back by valueAt.
double fractionalIndex(const Column<double>& x, std::size_t count, double value);
double valueAt(const Column<double>& x, std::size_t count, double index);

}  // namespace trainscope::ui
