// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm `welford`: mean and variance in a single pass, by Welford's rule in each lane of four
// vectors, the lanes then merged by Chan's rule. One read less than `two_pass`, and where there are
// fewer channels than threads the samples are cut among the threads and their partial statistics
// merged.
// Bound by the updates' chain of additions while a channel fits the cache, by memory above. Refuses
// nothing.
#include "engine/cpu/batch_norm/welford.h"

#include <vector>

#include "engine/cpu/batch_norm/channel.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

Statistics channel_statistics(const BatchNorm::Shape& shape, Part samples, std::int64_t channel,
                              const float* x) {
    if (samples.begin == samples.end) {
        return {};
    }
    const Rows rows = rows_of(shape, samples, channel);
    return welford_statistics(x, rows, x[rows.first]);
}

class Welford final : public BatchNorm::Kernel {
  public:
    Welford(const BatchNorm::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {
        if (cuts_samples()) {
            const auto channels = static_cast<std::size_t>(shape.c);
            statistics_.resize(static_cast<std::size_t>(threads_) * channels);
            sums_.resize(statistics_.size());
            normalizations_.resize(channels);
            gradients_.resize(channels);
        }
    }

    void forward(const BatchNorm::Forward& args) override {
        if (cuts_samples()) {
            forward_by_samples(args);
            return;
        }
        parallel_for(threads_, shape_.c, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t c = begin; c < end; ++c) {
                const Part samples = all_samples(shape_);
                const Statistics statistics = channel_statistics(shape_, samples, c, args.x);
                normalize(shape_, samples, c, finish_channel(shape_, args, c, statistics), args.x,
                          args.y);
            }
        });
    }
    void inference(const BatchNorm::Inference& args) override {
        cpu::inference(shape_, args, threads_);
    }
    void backward(const BatchNorm::Backward& args) override {
        if (cuts_samples()) {
            backward_by_samples(args);
        } else {
            channel_backward(shape_, args, threads_);
        }
    }

  private:
    bool cuts_samples() const { return shape_.c < threads_; }

    // Calls body(thread, its samples, channel) for all threads and channels.
    template <class Body>
    void for_parts(const Body& body) const {
        on_threads(threads_, [&](int index) {
            const Part samples = part_of(shape_.n, index, threads_);
            for (std::int64_t c = 0; c < shape_.c; ++c) {
                body(static_cast<std::size_t>(index * shape_.c + c), samples, c);
            }
        });
    }
    std::size_t part(int index, std::int64_t channel) const {
        return static_cast<std::size_t>(index * shape_.c + channel);
    }

    void forward_by_samples(const BatchNorm::Forward& args) {
        for_parts([&](std::size_t at, Part samples, std::int64_t c) {
            statistics_[at] = channel_statistics(shape_, samples, c, args.x);
        });
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            Statistics all;
            for (int index = 0; index < threads_; ++index) {
                all = all.merged(statistics_[part(index, c)]);
            }
            normalizations_[part(0, c)] = finish_channel(shape_, args, c, all);
        }
        for_parts([&](std::size_t, Part samples, std::int64_t c) {
            normalize(shape_, samples, c, normalizations_[part(0, c)], args.x, args.y);
        });
    }

    void backward_by_samples(const BatchNorm::Backward& args) {
        for_parts([&](std::size_t at, Part samples, std::int64_t c) {
            sums_[at] = gradient_sums(shape_, samples, c, args);
        });
        for (std::int64_t c = 0; c < shape_.c; ++c) {
            GradientSums all;
            for (int index = 0; index < threads_; ++index) {
                all += sums_[part(index, c)];
            }
            gradients_[part(0, c)] = finish_gradients(shape_, args, c, all);
        }
        for_parts([&](std::size_t, Part samples, std::int64_t c) {
            input_gradient(shape_, samples, c, gradients_[part(0, c)], args);
        });
    }

    BatchNorm::Shape shape_;
    int threads_;
    // Of each thread and channel, then of each channel; used where samples are cut.
    std::vector<Statistics> statistics_;
    std::vector<GradientSums> sums_;
    std::vector<Normalization> normalizations_;
    std::vector<InputGradient> gradients_;
};

const Registered<BatchNorm> registered{
    DeviceKind::cpu,
    {.name = "welford",
     .description = "One vectorised pass by Welford's rule, merged by Chan's; cuts samples where "
                    "channels are few.",
     .preference = 20,
     .refuses = [](const BatchNorm::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const BatchNorm::Shape&,
                           const KernelContext&) { return std::int64_t{0}; },
     .make = [](const BatchNorm::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<BatchNorm::Kernel> {
         return std::make_unique<Welford>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
