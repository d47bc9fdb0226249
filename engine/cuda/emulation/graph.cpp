// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/graph.h"

#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/stream.h"

namespace trainscope::emulation {

struct EmulatedGraph {
    std::vector<DeviceWork> nodes;
};

struct EmulatedGraphExec {
    std::vector<DeviceWork> nodes;
    void* memory = nullptr;
};

namespace {

constexpr std::size_t node_bytes = 64;  // of device memory, so that it can run out

std::atomic<std::int64_t> live = 0;
std::atomic<std::uint64_t> instantiated = 0;
thread_local EmulatedStream* captured_by_this_thread = nullptr;

}  // namespace

std::int64_t live_graphs() {
    return live;
}

std::uint64_t instantiated_graphs() {
    return instantiated;
}

bool is_captured(cudaStream_t stream) {
    return stream != nullptr && stream->recorded != nullptr;
}

cudaError_t forbidden_in_capture() {
    if (captured_by_this_thread == nullptr) {
        return cudaSuccess;
    }
    captured_by_this_thread->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t record(cudaStream_t stream, DeviceWork work) {
    if (stream->invalidated) {
        return answer(cudaErrorStreamCaptureInvalidated);
    }
    stream->recorded->nodes.push_back(std::move(work));
    return answer(cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    if (stream == nullptr || mode != cudaStreamCaptureModeThreadLocal) {
        return answer(cudaErrorInvalidValue);
    }
    if (is_captured(stream) || captured_by_this_thread != nullptr) {
        return answer(cudaErrorIllegalState);
    }
    if (has_faults()) {
        return answer(cudaErrorLaunchFailure);
    }
    stream->recorded = new EmulatedGraph;
    stream->invalidated = false;
    captured_by_this_thread = stream;
    return answer(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = nullptr;
    if (!is_captured(stream)) {
        return answer(cudaErrorIllegalState);
    }
    std::unique_ptr<EmulatedGraph> recorded(std::exchange(stream->recorded, nullptr));
    captured_by_this_thread = nullptr;
    if (std::exchange(stream->invalidated, false)) {
        return answer(cudaErrorStreamCaptureInvalidated);
    }
    *graph = recorded.release();
    return answer(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
    *exec = nullptr;
    void* const memory = device_allocate(node_bytes * (graph->nodes.size() + 1));
    if (memory == nullptr) {
        return answer(cudaErrorMemoryAllocation);
    }
    *exec = new EmulatedGraphExec{.nodes = graph->nodes, .memory = memory};
    ++live;
    ++instantiated;
    return answer(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (is_captured(stream)) {
        return answer(forbidden_in_capture());  // CUDA makes a child graph of it
    }
    for (const DeviceWork& work : exec->nodes) {
        if (const cudaError_t error = work(); error != cudaSuccess) {
            return answer(error);
        }
    }
    return answer(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    if (exec == nullptr) {
        return answer(cudaErrorInvalidValue);
    }
    device_release(exec->memory);
    delete exec;
    --live;
    return answer(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return answer(cudaSuccess);
}

}  // namespace trainscope::emulation
