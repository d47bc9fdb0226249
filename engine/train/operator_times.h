// SPDX-License-Identifier: GPL-3.0-or-later
// How long each layer of the model took for a micro-batch, forward and backward, a few times a
// second: append-only, with one writer (the trainer). Any thread follows it without a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/column.h"

namespace trainscope {

enum class Pass : std::uint8_t { forward, backward };
inline constexpr std::size_t pass_count = 2;

struct TimedOperator {
    std::string layer;  // "conv1"
    std::string op;     // whose variants compute it: "conv2d"; empty for a view (flatten)
};

class OperatorTimes {
  public:
    // Those of the model in its order, the loss included.
    explicit OperatorTimes(std::vector<TimedOperator> operators);

    const std::vector<TimedOperator>& operators() const { return operators_; }

    // Readers, any thread.
    std::size_t rows() const { return steps_.size(); }
    // row < rows() seen before: the step whose first micro-batch was timed.
    double step(std::size_t row) const { return steps_[row]; }
    // Seconds for a full micro-batch. NaN: it was computed together with the layer before it, or
    // has no such pass.
    double seconds(std::size_t row, std::size_t op, Pass pass) const {
        return columns_[column_of(op, pass)][row];
    }

    // Writer only. So that the next row can be appended whatever happens.
    void make_room();
    // `seconds`: by operator and pass, as column_of has them.
    void append(double step, std::span<const double> seconds);

    static std::size_t column_of(std::size_t op, Pass pass) {
        return op * pass_count + static_cast<std::size_t>(pass);
    }

  private:
    std::vector<TimedOperator> operators_;
    std::vector<Column<double>> columns_;
    Column<double> steps_;  // written last: rows are whole
};

}  // namespace trainscope
