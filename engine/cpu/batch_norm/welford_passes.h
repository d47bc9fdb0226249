// SPDX-License-Identifier: GPL-3.0-or-later
// Both ways of batch norm with statistics by Welford's rule, for what a variant makes of single
// values. Whole channels go to threads, each read again by the same thread while it is still in its
// cache; where there are fewer channels than threads, the samples are cut among the threads instead
// and their partial sums merged.
#pragma once

#include <vector>

#include "engine/cpu/batch_norm/channel.h"
#include "engine/cpu/batch_norm/welford.h"

namespace trainscope::cpu {

// `Values` has the types Forward, Backward (arguments), Normalization and InputGradient (of a
// channel), and static functions:
//   Normalization finish(shape, args, channel, statistics): keeps the statistics
//   void normalize(shape, samples, channel, normalization, args)
//   GradientSums sums(shape, samples, channel, args)
//   InputGradient finish_gradients(shape, args, channel, sums): keeps dgamma and dbeta
//   void input_gradient(shape, samples, channel, gradient, args)
template <class Values>
class WelfordPasses {
  public:
    using Forward = typename Values::Forward;
    using Backward = typename Values::Backward;

    WelfordPasses(const BatchNorm::Shape& shape, int threads) : shape_(shape), threads_(threads) {
        if (cuts_samples()) {
            const auto channels = static_cast<std::size_t>(shape.c);
            statistics_.resize(static_cast<std::size_t>(threads_) * channels);
            sums_.resize(statistics_.size());
            normalizations_.resize(channels);
            gradients_.resize(channels);
        }
    }

    // `x` is what `args` has.
    void forward(const float* x, const Forward& args) {
        if (cuts_samples()) {
            forward_by_samples(x, args);
            return;
        }
        parallel_for(threads_, shape_.c, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t c = begin; c < end; ++c) {
                const Part all = all_samples(shape_);
                Values::normalize(shape_, all, c,
                                  Values::finish(shape_, args, c, statistics(all, c, x)), args);
            }
        });
    }
    void backward(const Backward& args) {
        if (cuts_samples()) {
            backward_by_samples(args);
            return;
        }
        parallel_for(threads_, shape_.c, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t c = begin; c < end; ++c) {
                const Part all = all_samples(shape_);
                const GradientSums sums = Values::sums(shape_, all, c, args);
                Values::input_gradient(shape_, all, c,
                                       Values::finish_gradients(shape_, args, c, sums), args);
            }
        });
    }

  private:
    bool cuts_samples() const { return shape_.c < threads_; }

    Statistics statistics(Part samples, std::int64_t channel, const float* x) const {
        if (samples.begin == samples.end) {
            return {};
        }
        const Rows rows = rows_of(shape_, samples, channel);
        return welford_statistics(x, rows, x[rows.first]);
    }

    // Calls body(thread, its samples, channel) for all threads and channels.
    template <class Body>
    void for_parts(const Body& body) const {
        on_threads(threads_, [&](int index) {
            const Part samples = part_of(shape_.n, index, threads_);
            for (std::int64_t c = 0; c < shape_.c; ++c) {
                body(part(index, c), samples, c);
            }
        });
    }
    std::size_t part(int index, std::int64_t channel) const {
        return static_cast<std::size_t>(index * shape_.c + channel);
    }

    void forward_by_samples(const float* x, const Forward& args) {
        for_parts([&](std::size_t at, Part samples, std::int64_t c) {
            statistics_[at] = statistics(samples, c, x);
        });
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            Statistics all;
            for (int index = 0; index < threads_; ++index) {
                all = all.merged(statistics_[part(index, c)]);
            }
            normalizations_[part(0, c)] = Values::finish(shape_, args, c, all);
        }
        for_parts([&](std::size_t, Part samples, std::int64_t c) {
            Values::normalize(shape_, samples, c, normalizations_[part(0, c)], args);
        });
    }

    void backward_by_samples(const Backward& args) {
        for_parts([&](std::size_t at, Part samples, std::int64_t c) {
            sums_[at] = Values::sums(shape_, samples, c, args);
        });
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            GradientSums all;
            for (int index = 0; index < threads_; ++index) {
                all += sums_[part(index, c)];
            }
            gradients_[part(0, c)] = Values::finish_gradients(shape_, args, c, all);
        }
        for_parts([&](std::size_t, Part samples, std::int64_t c) {
            Values::input_gradient(shape_, samples, c, gradients_[part(0, c)], args);
        });
    }

    BatchNorm::Shape shape_;
    int threads_;
    // Of each thread and channel, then of each channel; used where samples are cut.
    std::vector<Statistics> statistics_;
    std::vector<GradientSums> sums_;
    std::vector<typename Values::Normalization> normalizations_;
    std::vector<typename Values::InputGradient> gradients_;
};

}  // namespace trainscope::cpu
