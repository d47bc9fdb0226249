// SPDX-License-Identifier: GPL-3.0-or-later
// What a terminal, or a log file in its place, sees of a training.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/train/trainer.h"

namespace trainscope::command_line {

// On a terminal one line that is drawn over and over, with finished evaluations and annotations
// above it; into a file a plain line every tenth of the work.
class Progress {
  public:
    Progress(const Trainer& trainer, bool quiet);
    // Prints what is new. Call it often; it draws at most ten times a second.
    void update();
    // Prints the evaluations left and takes the bar away.
    void finish();

  private:
    double share_done(const TrainerStatus& status) const;  // 0..1, or -1: there is no end
    std::string text(const TrainerStatus& status) const;
    void print_evaluations();
    void print_annotations();
    void clear_bar();

    const Trainer* trainer_;
    std::shared_ptr<const Telemetry> telemetry_;
    bool quiet_;
    bool terminal_;
    bool bar_drawn_ = false;
    std::size_t evaluations_printed_ = 0;
    std::size_t annotations_printed_ = 0;
    int tenths_printed_ = 0;
    double drawn_at_ = -1;
};

// One line for a terminal so wide, never wider: a bar of a share of 0..1 (none below 0), which
// gives way to the text.
std::string progress_line(double share, std::string_view text, std::size_t columns);

// Of the terminal at this file descriptor; 80 where it does not say.
std::size_t terminal_columns(int descriptor);

// Samples a second over the steps from `begin` on: their samples by their active time.
double throughput(const Telemetry& telemetry, std::size_t begin);

}  // namespace trainscope::command_line
