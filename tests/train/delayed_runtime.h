// SPDX-License-Identifier: GPL-3.0-or-later
// A device that is behind the host: kernels of the CPU run at once, but what they give reaches the
// host only once a mark has passed, some marks later or when somebody waits for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/device_runtime.h"

namespace trainscope::testing {

class DelayedRuntime final : public DeviceRuntime {
  public:
    // How many marks later one passes.
    explicit DelayedRuntime(std::uint64_t lag) : lag_(lag) {}

    RawAllocator& allocator() override { return host_->allocator(); }
    RawAllocator& staging_allocator() override { return staging_; }
    bool tensors_are_host_memory() const override { return false; }
    void upload(void* tensor, const void* host, std::int64_t bytes) override {
        ++uploads;
        host_->upload(tensor, host, bytes);
    }
    void download(void* host, const void* tensor, std::int64_t bytes) override {
        const auto* const from = static_cast<const std::byte*>(tensor);
        downloads_.push_back({.after = last_ + 1, .to = host, .bytes = {from, from + bytes}});
        if (!staging_.holds(host)) {
            finish_until(last_ + 1);
        }
    }
    void copy(void* to, const void* from, std::int64_t bytes) override {
        host_->copy(to, from, bytes);
    }
    void clear(void* tensor, std::int64_t bytes) override { host_->clear(tensor, bytes); }
    Mark mark() override { return last_ = host_->mark(); }
    bool passed(Mark mark) override {
        if (mark + lag_ > last_ && mark > done_) {
            return false;
        }
        finish_until(mark);
        return true;
    }
    void wait(Mark mark) override {
        ++waits;
        finish_until(mark);
    }
    double seconds_between(Mark begin, Mark end) override {
        return host_->seconds_between(begin, end);
    }
    Result<void> status() const override {
        if (broken) {
            return make_error(Error{ErrorCode::device_failed, *broken});
        }
        return {};
    }

    std::optional<std::string> broken;  // what it failed with
    std::int64_t uploads = 0;
    std::int64_t waits = 0;

  private:
    // Memory that is written late; all other is written at once.
    class Staging final : public RawAllocator {
      public:
        void* allocate(std::int64_t bytes) override {
            void* const data = host_allocator().allocate(bytes);
            ends_[static_cast<std::byte*>(data)] = static_cast<std::byte*>(data) + bytes;
            return data;
        }
        void release(void* data, std::int64_t bytes) override {
            ends_.erase(static_cast<std::byte*>(data));
            host_allocator().release(data, bytes);
        }
        bool holds(const void* place) const {
            const auto* const byte = static_cast<const std::byte*>(place);
            return std::any_of(ends_.begin(), ends_.end(), [&](const auto& block) {
                return byte >= block.first && byte < block.second;
            });
        }

      private:
        std::map<std::byte*, std::byte*> ends_;
    };

    struct Download {
        Mark after;
        void* to;
        std::vector<std::byte> bytes;
    };
    void finish_until(Mark mark) {
        done_ = std::max(done_, mark);
        while (!downloads_.empty() && downloads_.front().after <= mark) {
            const Download& first = downloads_.front();
            std::copy(first.bytes.begin(), first.bytes.end(), static_cast<std::byte*>(first.to));
            downloads_.pop_front();
        }
    }

    std::unique_ptr<DeviceRuntime> host_ = host_runtime();
    Staging staging_;
    std::uint64_t lag_;
    Mark last_ = 0;
    Mark done_ = 0;
    std::deque<Download> downloads_;
};

}  // namespace trainscope::testing
