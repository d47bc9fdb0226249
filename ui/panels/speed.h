// SPDX-License-Identifier: GPL-3.0-or-later
// Samples a second over the last few seconds of active time, from snapshots of a training.
#pragma once

#include <deque>
#include <optional>
#include <utility>

namespace trainscope::ui {

class Speed {
  public:
    void add(double activeSeconds, double samples) {
        if (!points_.empty()) {
            if (activeSeconds < points_.back().first || samples < points_.back().second) {
                points_.clear();  // another training
            } else if (activeSeconds == points_.back().first) {
                return;  // paused, or between steps
            }
        }
        points_.emplace_back(activeSeconds, samples);
        while (points_.size() > 2 && points_.back().first - points_[1].first >= window) {
            points_.pop_front();
        }
    }
    // nullopt before two snapshots differ.
    std::optional<double> samplesPerSecond() const {
        if (points_.size() < 2) {
            return std::nullopt;
        }
        return (points_.back().second - points_.front().second) /
               (points_.back().first - points_.front().first);
    }

  private:
    static constexpr double window = 3;  // seconds
    std::deque<std::pair<double, double>> points_;
};

}  // namespace trainscope::ui
