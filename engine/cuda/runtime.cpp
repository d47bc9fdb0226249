// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/runtime.h"

#include <fmt/ranges.h>

#include <array>
#include <cassert>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "engine/cuda/blas.h"
#include "engine/cuda/error.h"
#include "engine/cuda/kernel.h"
#include "engine/cuda/recording.h"
#include "engine/cuda/solver.h"

namespace trainscope::cuda {

namespace {

constexpr int oldest_major = 7;  // Turing, 7.5: what the toolkit still builds for
constexpr int oldest_minor = 5;

std::string words(cudaError_t error) {
    return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

// Device memory. What is given back is kept by its size and used again: cudaFree waits for the
// device, and a training asks for the same sizes again and again.
class CachingAllocator final : public RawAllocator {
  public:
    ~CachingAllocator() override { trim(); }

    void* allocate(std::int64_t bytes) override {
        if (const auto kept = kept_.find(bytes); kept != kept_.end()) {
            void* const data = kept->second;
            kept_.erase(kept);
            return data;
        }
        void* data = take(bytes);
        if (data == nullptr && !kept_.empty()) {
            trim();
            data = take(bytes);
        }
        return data;
    }
    void release(void* data, std::int64_t bytes) override { kept_.emplace(bytes, data); }
    std::int64_t reserved() const { return reserved_; }

  private:
    void* take(std::int64_t bytes) {
        void* data = nullptr;
        const cudaError_t error = cudaMalloc(&data, static_cast<std::size_t>(bytes));
        if (error == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());  // an answer, no failure of the device
            return nullptr;
        }
        note(error, "cudaMalloc");
        if (error != cudaSuccess) {
            return nullptr;
        }
        reserved_ += bytes;
        return data;
    }
    void trim() {
        for (const auto& [bytes, data] : kept_) {
            note(cudaFree(data), "cudaFree");
            reserved_ -= bytes;
        }
        kept_.clear();
    }

    std::multimap<std::int64_t, void*> kept_;
    std::int64_t reserved_ = 0;  // of the device, kept or in use
};

// Page-locked host memory; ordinary host memory where the system grants no more of it.
class StagingAllocator final : public RawAllocator {
  public:
    void* allocate(std::int64_t bytes) override {
        void* data = nullptr;
        if (cudaMallocHost(&data, static_cast<std::size_t>(bytes)) == cudaSuccess) {
            return data;
        }
        static_cast<void>(cudaGetLastError());
        data = host_allocator().allocate(bytes);
        if (data != nullptr) {
            pageable_.insert(data);
        }
        return data;
    }
    void release(void* data, std::int64_t bytes) override {
        if (pageable_.erase(data) > 0) {
            host_allocator().release(data, bytes);
        } else {
            note(cudaFreeHost(data), "cudaFreeHost");
        }
    }

  private:
    std::set<void*> pageable_;
};

class CudaRuntime final : public DeviceRuntime {
  public:
    explicit CudaRuntime(int index) : index_(index) {}
    ~CudaRuntime() override {
        blas_.reset();
        solver_.reset();
        finish_and_destroy(uploads_);
        finish_and_destroy(stream_);
        for (cudaEvent_t event : events_) {
            destroy(event);
        }
        destroy(uploaded_);
    }
    // All that the steady state needs is made here.
    cudaError_t open() {
        note_errors_of(index_);
        errors_begin_ = errors_so_far(index_);
        cudaError_t error = cudaSetDevice(index_);
        for (cudaStream_t* const stream : {&stream_, &uploads_}) {
            if (error == cudaSuccess) {
                error = cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
            }
        }
        for (cudaEvent_t& event : events_) {
            if (error == cudaSuccess) {
                error = cudaEventCreateWithFlags(&event, cudaEventDefault);
            }
        }
        return error != cudaSuccess ? error
                                    : cudaEventCreateWithFlags(&uploaded_, cudaEventDisableTiming);
    }

    void attach_thread() override {
        note_errors_of(index_);
        note(cudaSetDevice(index_), "cudaSetDevice");
    }
    RawAllocator& allocator() override { return memory_; }
    RawAllocator& staging_allocator() override { return staging_; }
    bool tensors_are_host_memory() const override { return false; }

    void upload(void* tensor, const void* host, std::int64_t bytes) override {
        transfer(tensor, host, bytes, cudaMemcpyHostToDevice, stream_);
    }
    // On a stream of its own, which the other waits for.
    void upload_ahead(void* tensor, const void* host, std::int64_t bytes) override {
        transfer(tensor, host, bytes, cudaMemcpyHostToDevice, uploads_);
        note(cudaEventRecord(uploaded_, uploads_), "cudaEventRecord");
        note(cudaStreamWaitEvent(stream_, uploaded_), "cudaStreamWaitEvent");
    }
    void download(void* host, const void* tensor, std::int64_t bytes) override {
        transfer(host, tensor, bytes, cudaMemcpyDeviceToHost, stream_);
    }
    void copy(void* to, const void* from, std::int64_t bytes) override {
        transfer(to, from, bytes, cudaMemcpyDeviceToDevice, stream_);
    }
    void clear(void* tensor, std::int64_t bytes) override {
        note(cudaMemsetAsync(tensor, 0, static_cast<std::size_t>(bytes), stream_),
             "cudaMemsetAsync");
    }

    Mark mark() override {
        note(cudaEventRecord(events_[++last_ % mark_count], stream_), "cudaEventRecord");
        return last_;
    }
    bool passed(Mark mark) override {
        const cudaError_t error = cudaEventQuery(event_of(mark));
        if (error == cudaErrorNotReady) {
            return false;
        }
        note(error, "cudaEventQuery");
        return true;
    }
    void wait(Mark mark) override {
        note(cudaEventSynchronize(event_of(mark)), "cudaEventSynchronize");
    }
    double seconds_between(Mark begin, Mark end) override {
        float milliseconds = 0;
        note(cudaEventElapsedTime(&milliseconds, event_of(begin), event_of(end)),
             "cudaEventElapsedTime");
        return static_cast<double>(milliseconds) * 1e-3;
    }
    std::optional<MemoryReport> memory_report() const override {
        std::size_t available = 0;
        std::size_t total = 0;
        const cudaError_t error = cudaMemGetInfo(&available, &total);
        note(error, "cudaMemGetInfo");
        if (error != cudaSuccess) {
            return std::nullopt;
        }
        return MemoryReport{.total = static_cast<std::int64_t>(total),
                            .available = static_cast<std::int64_t>(available),
                            .reserved = memory_.reserved()};
    }
    bool records() const override { return true; }
    Result<std::unique_ptr<RecordedWork>> record(const std::function<void()>& work) override {
        return record_graph(stream_, work);
    }
    Result<void> status() const override {
        std::string error = first_error(index_, errors_begin_);
        if (!error.empty()) {
            return make_error(Error{ErrorCode::device_failed, std::move(error)});
        }
        return {};
    }

    cudaStream_t stream() const { return stream_; }
    // Made for the first kernel that wants it: it takes the library's time and device memory.
    Blas& blas() {
        std::call_once(blas_is_made_, [this] { blas_ = std::make_unique<Blas>(stream_); });
        return *blas_;
    }
    Solver& solver() {
        std::call_once(solver_is_made_, [this] { solver_ = std::make_unique<Solver>(stream_); });
        return *solver_;
    }

  private:
    cudaEvent_t event_of(Mark mark) const {
        assert(mark >= 1 && mark <= last_ && last_ - mark < mark_count);
        return events_[mark % mark_count];
    }
    static void transfer(void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind,
                         cudaStream_t stream) {
        if (bytes > 0) {
            note(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream),
                 "cudaMemcpyAsync");
        }
    }
    static void finish_and_destroy(cudaStream_t stream) {
        if (stream != nullptr) {
            note(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
            note(cudaStreamDestroy(stream), "cudaStreamDestroy");
        }
    }
    static void destroy(cudaEvent_t event) {
        if (event != nullptr) {
            note(cudaEventDestroy(event), "cudaEventDestroy");
        }
    }

    int index_;
    std::size_t errors_begin_ = 0;    // errors of the device before are of no concern here
    cudaStream_t stream_ = nullptr;   // kernels, and copies in their order
    cudaStream_t uploads_ = nullptr;  // batches that come ahead
    CachingAllocator memory_;
    StagingAllocator staging_;
    std::array<cudaEvent_t, mark_count> events_{};
    cudaEvent_t uploaded_ = nullptr;
    Mark last_ = 0;
    std::once_flag blas_is_made_, solver_is_made_;
    std::unique_ptr<Blas> blas_;
    std::unique_ptr<Solver> solver_;
};

DeviceInfo info_of(const cudaDeviceProp& properties, int index) {
    DeviceInfo info;
    info.kind = device_kind;
    info.index = index;
    info.id = index == 0 ? std::string(name_of(device_kind))
                         : fmt::format("{}:{}", name_of(device_kind), index);
    info.description =
        fmt::format("{}, compute capability {}.{}, {} multiprocessors", properties.name,
                    properties.major, properties.minor, properties.multiProcessorCount);
    info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    return info;
}

// Why a device cannot be used, in a sentence; empty where it can.
std::string refusal_of(const cudaDeviceProp& properties) {
    if (std::pair(properties.major, properties.minor) >= std::pair(oldest_major, oldest_minor)) {
        return {};
    }
    return fmt::format(
        "The device {} has compute capability {}.{}; this program needs {}.{} or "
        "newer.",
        properties.name, properties.major, properties.minor, oldest_major, oldest_minor);
}

}  // namespace

Result<std::vector<DeviceInfo>> list_devices() {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return make_error(ErrorCode::unsupported, "No NVIDIA device can be used: {}.",
                          words(error));
    }
    std::vector<DeviceInfo> devices;
    std::vector<std::string> refused;
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        if (const cudaError_t error = cudaGetDeviceProperties(&properties, index);
            error != cudaSuccess) {
            static_cast<void>(cudaGetLastError());
            refused.push_back(fmt::format("The device {}:{} does not answer: {}.",
                                          name_of(device_kind), index, words(error)));
        } else if (std::string refusal = refusal_of(properties); !refusal.empty()) {
            refused.push_back(std::move(refusal));
        } else {
            devices.push_back(info_of(properties, index));
        }
    }
    if (devices.empty() && !refused.empty()) {
        return make_error(ErrorCode::unsupported, "{}", fmt::join(refused, " "));
    }
    return devices;
}

Result<std::unique_ptr<DeviceRuntime>> open_device(int index) {
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, index);
        error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return make_error(ErrorCode::not_found, "There is no device {}:{}: {}.",
                          name_of(device_kind), index, words(error));
    }
    if (const std::string refusal = refusal_of(properties); !refusal.empty()) {
        return make_error(ErrorCode::unsupported, "{}", refusal);
    }
    const bool failed_before = !first_error(index).empty();
    auto runtime = std::make_unique<CudaRuntime>(index);
    if (const cudaError_t error = runtime->open(); error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return make_error(
            ErrorCode::device_failed, "The device {} cannot be opened: {}.{}", properties.name,
            words(error),
            failed_before ? " It failed earlier; start the program again to use it." : "");
    }
    return runtime;
}

cudaStream_t stream_of(const KernelContext& context) {
    assert(context.runtime != nullptr);
    return static_cast<CudaRuntime*>(context.runtime)->stream();
}

Blas& blas_of(const KernelContext& context) {
    assert(context.runtime != nullptr);
    return static_cast<CudaRuntime*>(context.runtime)->blas();
}

Solver& solver_of(const KernelContext& context) {
    assert(context.runtime != nullptr);
    return static_cast<CudaRuntime*>(context.runtime)->solver();
}

}  // namespace trainscope::cuda
