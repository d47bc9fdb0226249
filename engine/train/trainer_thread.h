// SPDX-License-Identifier: GPL-3.0-or-later
// The thread of a Trainer: runs the steps, takes commands between them, and says where it is.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/train/progress_cell.h"
#include "engine/train/trainer.h"
#include "engine/train/training.h"

namespace trainscope {

class Trainer::Implementation {
  public:
    explicit Implementation(std::unique_ptr<Training> training);

    CommandId send(CommandBody body);
    std::vector<CommandAnswer> take_answers();
    TrainerStatus status() const;
    void wait();
    // Calls body(training) while the thread rests. False when it does not.
    template <class Body>
    bool while_resting(const Body& body);
    const Training& training() const { return *training_; }

  private:
    // The thread's own.
    void run(const std::stop_token& stop);
    TrainerState train(const std::stop_token& stop);
    void rest();
    void wait_for_command();
    void take_commands();
    void take_one();
    // What a step asks between its stages. Rests there while paused; true: the step is to be given
    // up.
    bool gives_up_step();
    enum class Next { nothing, wait, take, give_up };
    // What the commands that wait mean in the middle of a step.
    Next next_in_step();
    // Error cancelled: it was interrupted.
    Result<void> evaluate();
    void evaluate_when_due();
    Result<void> apply(const CommandBody& body);
    template <class Knob>
    Result<void> apply_one(const Knob& knob) {
        return training_->set(knob);
    }
    Result<void> apply_one(const Pause&);
    Result<void> apply_one(const Resume&);
    Result<void> apply_one(const SingleStep&);
    Result<void> apply_one(const Stop&);
    Result<void> apply_one(const EvaluateNow&);
    void set_run(bool paused, bool single_step);
    void set_paused(bool paused);
    void publish_progress(TrainerState state);
    void publish_knobs();
    void try_to_publish_knobs() noexcept;  // again at the next turn where it fails
    void make_room_for_answers();          // mutex_ is held
    void refuse_after_end(CommandId id);   // mutex_ is held
    void fail(const char* reason) noexcept;
    void finish(TrainerState state) noexcept;

    std::unique_ptr<Training> training_;  // the thread's, but while it rests

    mutable std::mutex mutex_;  // of what follows, up to `pending_`
    std::condition_variable_any wake_;
    std::condition_variable rested_;
    std::deque<Command> queue_;
    std::vector<CommandAnswer> answers_;
    CommandId last_id_ = 0;
    bool paused_;           // written by the thread alone
    bool resting_ = false;  // the thread waits, and touches nothing, until a command comes
    bool done_ = false;
    std::atomic<bool> pending_{false};  // whether `queue_` has anything
    std::atomic<bool> stop_asked_{false};

    bool single_step_ = false;  // the thread's own
    bool stopped_ = false;
    bool unpublished_ = false;  // the knobs that others see are old
    std::stop_token stop_;

    ProgressCell progress_;
    MemoryReport device_memory_;                          // the trainer's thread
    std::chrono::steady_clock::time_point device_asked_;  // when it was asked
    mutable std::mutex status_mutex_;
    TrainerStatus status_;  // without what `progress_` has

    std::jthread thread_;  // last, so that it ends first
};

template <class Body>
bool Trainer::Implementation::while_resting(const Body& body) {
    std::unique_lock lock(mutex_);
    // A pause that was answered is soon a rest.
    rested_.wait(lock, [&] { return resting_ || !paused_; });
    if (!resting_) {
        return false;
    }
    body(*training_);
    return true;
}

}  // namespace trainscope
