// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cassert>
#include <chrono>
#include <cstring>

#include "engine/core/device_runtime.h"

namespace trainscope {

namespace {

class HostRuntime final : public DeviceRuntime {
  public:
    explicit HostRuntime(RawAllocator& allocator) : allocator_(&allocator) {}

    RawAllocator& allocator() override { return *allocator_; }
    RawAllocator& staging_allocator() override { return host_allocator(); }
    bool tensors_are_host_memory() const override { return true; }

    void upload(void* tensor, const void* host, std::int64_t bytes) override {
        copy(tensor, host, bytes);
    }
    void download(void* host, const void* tensor, std::int64_t bytes) override {
        copy(host, tensor, bytes);
    }
    void copy(void* to, const void* from, std::int64_t bytes) override {
        if (to != from) {
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
        }
    }
    void clear(void* tensor, std::int64_t bytes) override {
        std::memset(tensor, 0, static_cast<std::size_t>(bytes));
    }

    Mark mark() override {
        times_[++last_ % mark_count] = Clock::now();
        return last_;
    }
    bool passed(Mark mark) override { return mark <= last_; }
    void wait(Mark /*mark*/) override {}
    double seconds_between(Mark begin, Mark end) override {
        return std::chrono::duration<double>(time_of(end) - time_of(begin)).count();
    }
    Result<void> status() const override { return {}; }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point time_of(Mark mark) const {
        assert(mark >= 1 && mark <= last_ && last_ - mark < mark_count);
        return times_[mark % mark_count];
    }

    RawAllocator* allocator_;
    std::array<Clock::time_point, mark_count> times_;
    Mark last_ = 0;
};

}  // namespace

Result<std::unique_ptr<RecordedWork>> DeviceRuntime::record(const std::function<void()>&) {
    return make_error(ErrorCode::unsupported, "This device does not record work.");
}

std::unique_ptr<DeviceRuntime> host_runtime(RawAllocator& allocator) {
    return std::make_unique<HostRuntime>(allocator);
}

}  // namespace trainscope
