// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/runtime_api.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <new>

#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"

namespace trainscope::emulation {

struct EmulatedStream {};
struct EmulatedEvent {
    std::chrono::steady_clock::time_point time;
};

namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<std::uint64_t> waits = 0;

// What a call gives back: a broken device's error is sticky, others stay until they are asked for.
cudaError_t answer(cudaError_t error) {
    if (has_faults()) {
        error = cudaErrorLaunchFailure;
    }
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        last_error = error;
    }
    return error;
}

bool on_device(const void* place, std::size_t bytes) {
    const Allocation* const allocation = find_allocation(place);
    const auto* const begin = static_cast<const std::byte*>(place);
    return allocation != nullptr && begin >= allocation->data &&
           begin + bytes <= allocation->data + allocation->bytes;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "cudaSuccess";
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorInvalidDevice:
            return "cudaErrorInvalidDevice";
        case cudaErrorNotReady:
            return "cudaErrorNotReady";
        case cudaErrorLaunchFailure:
            return "cudaErrorLaunchFailure";
    }
    return "cudaErrorUnknown";
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "no error";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidDevice:
            return "invalid device ordinal";
        case cudaErrorNotReady:
            return "device not ready";
        case cudaErrorLaunchFailure:
            return "a kernel broke a rule of the emulated device";
    }
    return "unknown error";
}

cudaError_t cudaPeekAtLastError() {
    return has_faults() ? cudaErrorLaunchFailure : last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (device != 0) {
        return answer(cudaErrorInvalidDevice);
    }
    *properties = {};
    std::strncpy(properties->name, "Emulated CUDA device", sizeof properties->name - 1);
    properties->totalGlobalMem = static_cast<std::size_t>(device_memory().total);
    properties->major = 8;
    properties->minor = 0;
    properties->multiProcessorCount = 4;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    return answer(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    const DeviceMemory memory = device_memory();
    *available = static_cast<std::size_t>(memory.total - memory.used);
    *total = static_cast<std::size_t>(memory.total);
    return answer(cudaSuccess);
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    *data = nullptr;
    if (has_faults()) {
        return answer(cudaErrorLaunchFailure);
    }
    *data = device_allocate(bytes);
    return answer(*data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* data) {
    return answer(device_release(data) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
    *data = ::operator new (bytes, std::align_val_t{64}, std::nothrow);
    return answer(*data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void* data) {
    ::operator delete (data, std::align_val_t{64});
    return answer(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
    *stream = new EmulatedStream;
    return answer(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete stream;
    return answer(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) {
    ++waits;
    return answer(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/,
                                unsigned /*flags*/) {
    return answer(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
    *event = new EmulatedEvent;
    return answer(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return answer(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
    event->time = std::chrono::steady_clock::now();
    return answer(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t /*event*/) {
    return answer(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
    ++waits;
    return answer(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
    return answer(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t /*stream*/) {
    const bool to_device = kind != cudaMemcpyDeviceToHost;
    const bool from_device = kind != cudaMemcpyHostToDevice;
    if (has_faults() || (to_device && !on_device(to, bytes)) ||
        (from_device && !on_device(from, bytes))) {
        return answer(cudaErrorInvalidValue);
    }
    if (bytes > 0) {
        std::memmove(to, from, bytes);
    }
    if (to_device) {
        note_host_write(to, bytes);
    }
    return answer(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t /*stream*/) {
    if (has_faults() || !on_device(data, bytes)) {
        return answer(cudaErrorInvalidValue);
    }
    std::memset(data, value, bytes);
    note_host_write(data, bytes);
    return answer(cudaSuccess);
}

std::uint64_t wait_count() {
    return waits;
}

}  // namespace trainscope::emulation
