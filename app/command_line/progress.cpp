// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "app/command_line/say.h"
#include "engine/core/format.h"

namespace trainscope::command_line {

namespace {

constexpr std::size_t bar_width = 24;
constexpr std::size_t narrowest_bar = 6;
constexpr double seconds_between_drawings = 0.1;
constexpr std::size_t recent_steps = 50;  // that the shown loss and speed are means of

double now_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string bar(double share, std::size_t width) {
    const auto filled = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
    return "[" + std::string(filled, '#') + std::string(width - filled, '-') + "] ";
}

}  // namespace

std::size_t terminal_columns(int descriptor) {
    winsize size{};
    const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

std::string progress_line(double share, std::string_view text, std::size_t columns) {
    std::string line =
        share < 0 ? std::string(text) : fmt::format("{:3.0f} %  {}", share * 100, text);
    const std::size_t room = columns > 0 ? columns - 1 : 0;  // a full line would wrap in some
    constexpr std::size_t around = 3;                        // brackets and a space
    if (share >= 0 && line.size() + around + narrowest_bar <= room) {
        line.insert(0, bar(share, std::min(bar_width, room - line.size() - around)));
    }
    return line.substr(0, room);
}

double throughput(const Telemetry& telemetry, std::size_t begin) {
    const std::size_t steps = telemetry.steps();
    if (begin >= steps) {
        return 0;
    }
    const auto value_before = [&](Metric metric) {
        return begin == 0 ? 0.0 : telemetry.at(metric, begin - 1);
    };
    const double samples = telemetry.at(Metric::samples, steps - 1) - value_before(Metric::samples);
    const double seconds =
        telemetry.at(Metric::active_seconds, steps - 1) - value_before(Metric::active_seconds);
    return seconds > 0 ? samples / seconds : 0;
}

Progress::Progress(const Trainer& trainer, bool quiet)
    : trainer_(&trainer),
      telemetry_(trainer.telemetry()),
      quiet_(quiet),
      terminal_(isatty(STDOUT_FILENO) == 1) {}

double Progress::share_done(const TrainerStatus& status) const {
    double share = -1;
    if (status.epochs > 0 && status.epoch_samples > 0) {
        share = static_cast<double>(status.epoch * status.epoch_samples + status.epoch_offset) /
                static_cast<double>(status.epochs * status.epoch_samples);
    }
    if (const std::int64_t limit = trainer_->config().max_steps; limit > 0) {
        share = std::max(share, static_cast<double>(status.step) / static_cast<double>(limit));
    }
    return std::min(share, 1.0);
}

std::string Progress::text(const TrainerStatus& status) const {
    const std::size_t steps = telemetry_->steps();
    const std::size_t begin = steps > recent_steps ? steps - recent_steps : 0;
    double loss = 0;
    for (std::size_t i = begin; i < steps; ++i) {
        loss += telemetry_->at(Metric::loss, i) / static_cast<double>(steps - begin);
    }
    std::string line = fmt::format("epoch {}", status.epoch + (status.epoch_offset > 0 ? 1 : 0));
    if (status.epochs > 0) {
        line += fmt::format("/{}", status.epochs);
    }
    line +=
        fmt::format("  step {}  loss {}  {} samples/s", format_count(status.step), loss_text(loss),
                    format_count(std::llround(throughput(*telemetry_, begin))));
    if (const double share = share_done(status); share > 0 && share < 1) {
        line +=
            fmt::format("  {} left", format_duration(status.active_seconds * (1 - share) / share));
    }
    return line;
}

void Progress::clear_bar() {
    if (bar_drawn_) {
        say("\r\033[K");
        bar_drawn_ = false;
    }
}

void Progress::print_evaluations() {
    const Column<EvaluationSample>& evaluations = telemetry_->evaluations();
    for (const std::size_t count = evaluations.size(); evaluations_printed_ < count;
         ++evaluations_printed_) {
        const EvaluationSample evaluation = evaluations[evaluations_printed_];
        clear_bar();
        say("epoch {:.2f}  step {}  test loss {}  accuracy {:.2f} %\n", evaluation.epoch,
            format_count(static_cast<std::int64_t>(evaluation.step)), loss_text(evaluation.loss),
            evaluation.accuracy * 100);
    }
}

void Progress::print_annotations() {
    for (const Annotation& annotation : telemetry_->annotations(annotations_printed_)) {
        ++annotations_printed_;
        clear_bar();
        say("epoch {:.2f}  step {}  {}\n", annotation.epoch,
            format_count(static_cast<std::int64_t>(annotation.step)), annotation.text());
    }
}

void Progress::update() {
    if (quiet_ || now_seconds() - drawn_at_ < seconds_between_drawings) {
        return;
    }
    drawn_at_ = now_seconds();
    print_annotations();
    print_evaluations();
    const TrainerStatus status = trainer_->status();
    const double share = share_done(status);
    if (terminal_) {
        say("\r\033[K{}", progress_line(share, text(status), terminal_columns(STDOUT_FILENO)));
        bar_drawn_ = true;
    } else if (const int tenths = static_cast<int>(share * 10); tenths > tenths_printed_) {
        tenths_printed_ = tenths;
        say("{:3} %  {}\n", tenths * 10, text(status));
    }
    flush_output();
}

void Progress::finish() {
    if (!quiet_) {
        print_annotations();
        print_evaluations();
        clear_bar();
        flush_output();
    }
}

}  // namespace trainscope::command_line
