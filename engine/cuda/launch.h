// SPDX-License-Identifier: GPL-3.0-or-later
// What every .cu file includes. It is compiled by nvcc for NVIDIA devices, and by the host's
// compiler (TRAINSCOPE_EMULATED) for the emulated device: launching a kernel, arrays in shared
// memory, and the runtime's calls are the same text in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/block.h"
#include "engine/cuda/emulation/device_code.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/runtime_api.h"

// Before a loop of few turns whose variables must stay in registers.
#define TRAINSCOPE_UNROLL
#else
#include <cuda_runtime.h>

// An array in the block's shared memory: TRAINSCOPE_SHARED(float, tile, [32][33]);
#define TRAINSCOPE_SHARED(type, name, dimensions) __shared__ type name dimensions
// The shared memory whose size the launch gives, aligned to 16 bytes.
#define TRAINSCOPE_DYNAMIC_SHARED(type, name)                                  \
    extern __shared__ __align__(16) unsigned char trainscope_dynamic_shared[]; \
    type* const name = reinterpret_cast<type*>(trainscope_dynamic_shared)
#define TRAINSCOPE_UNROLL _Pragma("unroll")
#endif

#include "engine/cuda/error.h"

namespace trainscope::cuda {

#ifdef TRAINSCOPE_EMULATED
using namespace trainscope::emulation;  // NOLINT: the runtime's names, as CUDA has them
#endif

// Where and how large a kernel is launched.
struct Launch {
    dim3 blocks;
    dim3 threads;
    cudaStream_t stream;
    std::size_t shared_bytes;
    std::source_location at;
};
inline Launch on(cudaStream_t stream, dim3 blocks, dim3 threads, std::size_t shared_bytes = 0,
                 std::source_location at = std::source_location::current()) {
    return {blocks, threads, stream, shared_bytes, at};
}

// The name of a launch in messages: "relu.cu:31".
std::string name_of(const std::source_location& at);

#ifdef TRAINSCOPE_EMULATED
template <class... Parameters, class... Arguments>
void launch(const Launch& launch, void (*kernel)(Parameters...), Arguments&&... arguments) {
    const auto work = [=, values = std::tuple<Parameters...>(
                              static_cast<Parameters>(std::forward<Arguments>(arguments))...)] {
        const auto call = [&] { std::apply(kernel, values); };
        using Call = decltype(call);
        run_launch({.run = [](const void* closure) { (*static_cast<const Call*>(closure))(); },
                    .closure = &call},
                   launch.blocks, launch.threads, launch.shared_bytes, name_of(launch.at));
        return has_faults() ? cudaErrorLaunchFailure : cudaSuccess;
    };
    note(enqueue(launch.stream, work), "launch", launch.at);
}
#else
template <class... Parameters, class... Arguments>
void launch(const Launch& launch, void (*kernel)(Parameters...), Arguments&&... arguments) {
    std::tuple<std::remove_cv_t<Parameters>...> values(
        static_cast<Parameters>(std::forward<Arguments>(arguments))...);
    void* pointers[sizeof...(Parameters)];
    std::apply(
        [&](auto&... value) {
            std::size_t i = 0;
            ((pointers[i++] = &value), ...);
        },
        values);
    note(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), launch.blocks, launch.threads,
                          pointers, launch.shared_bytes, launch.stream),
         "launch", launch.at);
}
#endif

// Blocks of `threads` for a grid-stride loop over `count` values: enough to fill any device, few
// enough that the grid's limits never matter.
inline unsigned blocks_for(std::int64_t count, unsigned threads, unsigned most = 4096) {
    const std::int64_t wanted = (count + threads - 1) / threads;
    return static_cast<unsigned>(wanted < 1 ? 1 : wanted > most ? most : wanted);
}

#if defined(__CUDACC__) || defined(TRAINSCOPE_EMULATED)
// The place of this thread among all of the grid (x only), and how many there are: 64-bit, since
// what is counted may pass 2^31.
__device__ inline std::int64_t global_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t grid_threads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}
#endif

}  // namespace trainscope::cuda
