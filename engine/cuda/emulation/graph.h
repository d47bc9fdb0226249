// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA graphs on the emulated device: what is given to a stream that is captured is not done but
// recorded, its arguments by value, and done in that order each time the graph is launched. One
// stream a graph: a capture that another stream would join is refused.
//
// A stand-in for a library (cuBLAS, cuFFT, cuSOLVER) gives its work to the device by `enqueue`:
//
//     return status_of(enqueue(handle->stream, [=] {  // by value: it may run later, and again
//         sgemm(m, n, k, a, lda, b, ldb, c, ldc);
//         return cudaSuccess;
//     }));
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "engine/cuda/emulation/runtime_api.h"

namespace trainscope::emulation {

using cudaGraph_t = struct EmulatedGraph*;
using cudaGraphExec_t = struct EmulatedGraphExec*;
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2,
};
// Errors: 1 for the default stream or another mode than ThreadLocal, 401 when it is captured.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
// The capture ends in any case. Errors: 401 without one, 901 when it was invalidated.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
// Takes device memory. Error 2: there is none.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

// Graphs that were instantiated and are not destroyed, and those that were ever: for tests.
std::int64_t live_graphs();
std::uint64_t instantiated_graphs();

using DeviceWork = std::function<cudaError_t()>;
bool is_captured(cudaStream_t stream);
// Error 901: the capture is invalid.
cudaError_t record(cudaStream_t stream, DeviceWork work);

// Work of the device, which gives back a cudaError_t: done now, or recorded where the stream is
// captured.
template <class Work>
cudaError_t enqueue(cudaStream_t stream, const Work& work) {
    static_assert(std::is_same_v<decltype(work()), cudaError_t>);
    return is_captured(stream) ? record(stream, work) : work();
}

}  // namespace trainscope::emulation
