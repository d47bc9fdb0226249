// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/operator_times.h"

#include <cassert>
#include <utility>

namespace trainscope {

OperatorTimes::OperatorTimes(std::vector<TimedOperator> operators)
    : operators_(std::move(operators)), columns_(operators_.size() * pass_count) {}

void OperatorTimes::make_room() {
    for (Column<double>& column : columns_) {
        column.make_room();
    }
    steps_.make_room();
}

void OperatorTimes::append(double step, std::span<const double> seconds) {
    assert(seconds.size() == columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        columns_[i].append(seconds[i]);
    }
    steps_.append(step);
}

}  // namespace trainscope
