// SPDX-License-Identifier: GPL-3.0-or-later
// The times of the variants, each in turn, so that what else the machine does meets them alike.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/tune/bench_tensors.h"
#include "engine/tune/contender.h"

namespace trainscope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up_runs = 2;

// Of sorted numbers, between those beside the place.
double quantile(const std::vector<double>& sorted, double part) {
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

// One variant on its way through one pass.
struct Runner {
    Contender* contender;
    BenchTensors tensors;
    std::vector<double> seconds = {};
    double spent = 0;  // with making the caches cold

    bool done(const BenchOptions& options) const {
        const auto runs = static_cast<int>(seconds.size());
        return runs >= options.most_runs ||
               (runs >= options.least_runs && spent >= options.seconds);
    }
    double progress(const BenchOptions& options) const {
        return done(options)
                   ? 1.0
                   : std::min(
                         {1.0, std::max(spent / options.seconds,
                                        static_cast<double>(seconds.size()) / options.most_runs)});
    }
    std::optional<BenchTimes> times(const BenchOptions& options) const {
        // Fewer are left when the bench is cancelled, and say little.
        if (static_cast<int>(seconds.size()) < std::min(3, options.most_runs)) {
            return std::nullopt;
        }
        std::vector<double> sorted = seconds;
        std::sort(sorted.begin(), sorted.end());
        return BenchTimes{.median = quantile(sorted, 0.5),
                          .lower_quartile = quantile(sorted, 0.25),
                          .upper_quartile = quantile(sorted, 0.75),
                          .runs = static_cast<int>(sorted.size())};
    }
};

class Timing {
  public:
    Timing(const BenchRun& run, const BenchCase& bench, Field& field)
        : run_(&run), case_(&bench), field_(&field), caches_(*run.runtime) {}

    // Each variant has tensors of its own: what forward saves is for its own backward.
    Result<void> prepare(Arena& arena, std::vector<Runner>& runners) {
        caches_.prepare(arena);
        for (Contender& contender : field_->contenders) {
            if (contender.kernel == nullptr) {
                continue;
            }
            auto tensors = BenchTensors::create(*case_, *run_->runtime, arena);
            if (!tensors) {
                return make_error(tensors.error());
            }
            runners.push_back({.contender = &contender, .tensors = std::move(*tensors)});
        }
        return {};
    }

    Result<void> time_pass(std::size_t pass, std::vector<Runner>& runners) {
        for (Runner& runner : runners) {
            runner.seconds.clear();
            runner.spent = 0;
        }
        for (Runner& runner : runners) {
            for (int i = 0; i < warm_up_runs && !run_->stopped(); ++i) {
                run_->tell(progress(pass, runners), "warming up " + runner.contender->offer.name);
                static_cast<void>(seconds_of(pass, runner));
            }
        }
        bool more = true;
        while (more && !run_->stopped()) {
            more = false;
            for (Runner& runner : runners) {
                if (runner.done(*run_->options) || run_->stopped()) {
                    continue;
                }
                const Clock::time_point begin = Clock::now();
                runner.seconds.push_back(seconds_of(pass, runner));
                runner.spent += std::chrono::duration<double>(Clock::now() - begin).count();
                more = true;
            }
            run_->tell(progress(pass, runners), case_->passes()[pass].name);
            if (Result<void> status = run_->runtime->status(); !status) {
                return status;
            }
        }
        for (Runner& runner : runners) {
            runner.contender->times[pass] = runner.times(*run_->options);
        }
        return {};
    }

  private:
    double seconds_of(std::size_t pass, Runner& runner) {
        DeviceRuntime& runtime = *run_->runtime;
        std::vector<BenchMemory> used = runner.tensors.used_by(case_->passes()[pass]);
        used.push_back({field_->workspace.data(), runner.contender->kernel->workspace_bytes()});
        caches_.make_cold(used);
        const DeviceRuntime::Mark begin = runtime.mark();
        runner.contender->kernel->run(pass, runner.tensors.pointers(), field_->workspace.data());
        const DeviceRuntime::Mark end = runtime.mark();
        runtime.wait(end);
        return runtime.seconds_between(begin, end);
    }

    double progress(std::size_t pass, const std::vector<Runner>& runners) const {
        double done = 0;
        for (const Runner& runner : runners) {
            done += runner.progress(*run_->options) / static_cast<double>(runners.size());
        }
        return share_of_checking + (1 - share_of_checking) * (static_cast<double>(pass) + done) /
                                       static_cast<double>(case_->passes().size());
    }

    const BenchRun* run_;
    const BenchCase* case_;
    Field* field_;
    ColdCaches caches_;
};

}  // namespace

Result<void> find_times(const BenchRun& run, const BenchCase& bench, Field& field) {
    Arena arena(run.runtime->allocator());
    Timing timing(run, bench, field);
    std::vector<Runner> runners;
    if (Result<void> prepared = timing.prepare(arena, runners); !prepared) {
        return prepared;
    }
    for (std::size_t pass = 0; pass < bench.passes().size() && !run.stopped(); ++pass) {
        if (Result<void> timed = timing.time_pass(pass, runners); !timed) {
            return timed;
        }
    }
    return {};
}

}  // namespace trainscope
