// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/runtime_api.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/devices.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/stream.h"

namespace trainscope::emulation {

namespace {

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<std::uint64_t> waits = 0;

bool on_device(const void* place, std::size_t bytes) {
    const Allocation* const allocation = find_allocation(place);
    const auto* const begin = static_cast<const std::byte*>(place);
    return allocation != nullptr && begin >= allocation->data &&
           begin + bytes <= allocation->data + allocation->bytes;
}

}  // namespace

cudaError_t answer(cudaError_t error) {
    if (has_faults()) {
        error = cudaErrorLaunchFailure;
    }
    if (error != cudaSuccess && error != cudaErrorNotReady) {
        last_error = error;
    }
    return error;
}

namespace {

struct ErrorWords {
    cudaError_t error;
    const char* name;
    const char* words;
};
constexpr ErrorWords errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorIllegalState, "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure",
     "a kernel broke a rule of the emulated device"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
};

const ErrorWords* words_of(cudaError_t error) {
    for (const ErrorWords& row : errors) {
        if (row.error == error) {
            return &row;
        }
    }
    return nullptr;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
    const ErrorWords* const row = words_of(error);
    return row != nullptr ? row->name : "cudaErrorUnknown";
}

const char* cudaGetErrorString(cudaError_t error) {
    const ErrorWords* const row = words_of(error);
    return row != nullptr ? row->words : "unknown error";
}

cudaError_t cudaPeekAtLastError() {
    return has_faults() ? cudaErrorLaunchFailure : last_error;
}

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

namespace {

EmulatedDevices& found_devices() {
    static EmulatedDevices devices;
    return devices;
}

bool exists(int device) {
    return device >= 0 && static_cast<std::size_t>(device) < found_devices().devices.size();
}

}  // namespace

void set_devices(EmulatedDevices devices) {
    found_devices() = std::move(devices);
}

const EmulatedDevices& emulated_devices() {
    return found_devices();
}

cudaError_t cudaGetDeviceCount(int* count) {
    const cudaError_t error = found_devices().count;
    *count = error == cudaSuccess ? static_cast<int>(found_devices().devices.size()) : 0;
    return answer(error);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!exists(device)) {
        return answer(cudaErrorInvalidDevice);
    }
    const EmulatedDevice& found = found_devices().devices[static_cast<std::size_t>(device)];
    if (found.properties != cudaSuccess) {
        return answer(found.properties);
    }
    *properties = {};
    std::strncpy(properties->name, "Emulated CUDA device", sizeof properties->name - 1);
    properties->totalGlobalMem = static_cast<std::size_t>(device_memory().total);
    properties->major = found.major;
    properties->minor = found.minor;
    properties->multiProcessorCount = 4;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    return answer(exists(device) ? cudaSuccess : cudaErrorInvalidDevice);
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
    if (const cudaError_t error = forbidden_in_capture(); error != cudaSuccess) {
        return answer(error);
    }
    *data = device_allocate(bytes);
    return answer(*data != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* data) {
    if (const cudaError_t error = forbidden_in_capture(); error != cudaSuccess) {
        return answer(error);
    }
    return answer(device_release(data) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
    *data = nullptr;
    if (const cudaError_t error = forbidden_in_capture(); error != cudaSuccess) {
        return answer(error);
    }
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
    return answer(forbidden_in_capture());
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
    if (is_captured(stream) && event->captured_in != stream) {
        stream->invalidated = true;
        return answer(cudaErrorStreamCaptureIsolation);
    }
    // CUDA would have the stream join the capture.
    return answer(!is_captured(stream) && event->captured_in != nullptr ? forbidden_in_capture()
                                                                        : cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
    *event = new EmulatedEvent;
    return answer(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return answer(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event->captured_in = is_captured(stream) ? stream : nullptr;
    event->time = std::chrono::steady_clock::now();
    return answer(cudaSuccess);
}

namespace {

// Why nobody may ask about an event now.
cudaError_t unanswerable(const EmulatedEvent& event) {
    const cudaError_t error = forbidden_in_capture();
    return event.captured_in != nullptr ? cudaErrorCapturedEvent : error;
}

}  // namespace

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return answer(unanswerable(*event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    ++waits;
    return answer(unanswerable(*event));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    if (begin->captured_in != nullptr || end->captured_in != nullptr) {
        return answer(cudaErrorCapturedEvent);
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
    return answer(cudaSuccess);
}

namespace {

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const bool to_device = kind != cudaMemcpyDeviceToHost;
    const bool from_device = kind != cudaMemcpyHostToDevice;
    if (has_faults() || (to_device && !on_device(to, bytes)) ||
        (from_device && !on_device(from, bytes))) {
        return cudaErrorInvalidValue;
    }
    if (bytes > 0) {
        std::memmove(to, from, bytes);
    }
    if (to_device) {
        note_host_write(to, bytes);
    }
    return cudaSuccess;
}

cudaError_t set(void* data, int value, std::size_t bytes) {
    if (has_faults() || !on_device(data, bytes)) {
        return cudaErrorInvalidValue;
    }
    std::memset(data, value, bytes);
    note_host_write(data, bytes);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return answer(enqueue(stream, [=] { return copy(to, from, bytes, kind); }));
}

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
    return answer(enqueue(stream, [=] { return set(data, value, bytes); }));
}

std::uint64_t wait_count() {
    return waits;
}

}  // namespace trainscope::emulation
