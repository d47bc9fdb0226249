// SPDX-License-Identifier: GPL-3.0-or-later
// What a device does for a training beside running kernels: memory, copies, order and time. All
// work given to one runtime is done in the order in which it was given (one stream); the host may
// run ahead of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "engine/core/arena.h"
#include "engine/core/device.h"
#include "engine/core/memory.h"
#include "engine/core/result.h"

namespace trainscope {

// Work that was recorded, to be done as often as is wanted. Must end before its runtime.
class RecordedWork {
  public:
    virtual ~RecordedWork() = default;
    virtual void replay() = 0;  // enqueued
};

// Not thread-safe: the thread that trains owns it.
class DeviceRuntime {
  public:
    // A place in the order of work. Marks are counted up from 1; the last `mark_count` are kept,
    // and only they may be asked about.
    using Mark = std::uint64_t;
    static constexpr std::uint64_t mark_count = 512;

    virtual ~DeviceRuntime() = default;
    // Called by a thread that comes to use it.
    virtual void attach_thread() {}

    // Tensors come from here.
    virtual RawAllocator& allocator() = 0;
    // Host memory that copies from and to (page-locked where there is such a thing).
    virtual RawAllocator& staging_allocator() = 0;
    // Whether tensors are ordinary host memory: the host may then read and write them itself, and
    // needs no staging memory.
    virtual bool tensors_are_host_memory() const = 0;

    // Enqueued; `host` must come from staging_allocator() to be copied while the host goes on, and
    // stay as it is until a mark set afterwards has passed. Any other host memory has been read,
    // or written, when the call returns.
    virtual void upload(void* tensor, const void* host, std::int64_t bytes) = 0;
    // As upload, for a tensor that no work uses which was given and is not done: it may be copied
    // beside that work. Work that is given later finds it there.
    virtual void upload_ahead(void* tensor, const void* host, std::int64_t bytes) {
        upload(tensor, host, bytes);
    }
    virtual void download(void* host, const void* tensor, std::int64_t bytes) = 0;
    virtual void copy(void* to_tensor, const void* from_tensor, std::int64_t bytes) = 0;
    // Zeros. Enqueued.
    virtual void clear(void* tensor, std::int64_t bytes) = 0;

    virtual Mark mark() = 0;
    // Whether all work before the mark is done. Never waits.
    virtual bool passed(Mark mark) = 0;
    virtual void wait(Mark mark) = 0;
    // Seconds of the device's time between two marks that have passed.
    virtual double seconds_between(Mark begin, Mark end) = 0;
    void finish() { wait(mark()); }

    // Asks the device, which takes microseconds. nullopt: tensors are the host's memory.
    virtual std::optional<MemoryReport> memory_report() const { return std::nullopt; }

    // Whether work can be recorded: a CUDA graph.
    virtual bool records() const { return false; }
    // What `work` gives to this runtime (kernels, copies, clears) is not done but recorded, with
    // the tensors and arguments that it has now. It may neither wait, mark, nor take memory. On an
    // error nothing is left of it, and the runtime is as it was: unsupported where work cannot be
    // recorded, else device_failed with the reason.
    virtual Result<std::unique_ptr<RecordedWork>> record(const std::function<void()>& work);

    // Error device_failed: the first thing that failed (a launch, a copy, a kernel's illegal
    // address), in one sentence. It stays so: only a new process recovers. Never waits, so that a
    // kernel's failure shows at the latest once a mark after it has passed.
    virtual Result<void> status() const = 0;
};

// The host itself: everything is done when a call returns. The allocator must outlive it.
std::unique_ptr<DeviceRuntime> host_runtime(RawAllocator& allocator = host_allocator());

}  // namespace trainscope
