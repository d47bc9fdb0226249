// SPDX-License-Identifier: GPL-3.0-or-later
// cuDNN's convolutions by loops over their definition, with sums in float64.
#include "engine/cuda/emulation/cudnn_api.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"
#include "engine/cuda/emulation/graph.h"
#include "engine/cuda/emulation/library_memory.h"
#include "engine/cuda/emulation/stream.h"

namespace trainscope::emulation {

struct EmulatedDnn {
    cudaStream_t stream = nullptr;
    void* memory = nullptr;
};
struct EmulatedDnnTensor {
    int n = 0, c = 0, h = 0, w = 0;
    std::int64_t values() const { return std::int64_t{n} * c * h * w; }
};
struct EmulatedDnnFilter {
    int k = 0, c = 0, r = 0, s = 0;
    std::int64_t values() const { return std::int64_t{k} * c * r * s; }
};
struct EmulatedDnnConvolution {
    int pad_h = 0, pad_w = 0;
    int stride_h = 0, stride_w = 0;
    int groups = 1;
    cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace {

constexpr std::size_t library_memory = 4096;  // of a handle, of the device

struct Shape {
    EmulatedDnnTensor x, y;
    EmulatedDnnFilter w;
    EmulatedDnnConvolution by;

    bool fits() const {
        const auto out = [](int size, int pad, int filter, int stride) {
            return stride < 1 ? 0 : (size + 2 * pad - filter) / stride + 1;
        };
        return by.groups > 0 && x.c == w.c * by.groups && w.k % by.groups == 0 && y.n == x.n &&
               y.c == w.k && y.h == out(x.h, by.pad_h, w.r, by.stride_h) &&
               y.w == out(x.w, by.pad_w, w.s, by.stride_w) && w.values() > 0 && y.values() > 0;
    }
    // Of the matrix of all windows.
    std::size_t windows_bytes() const {
        return static_cast<std::size_t>(std::int64_t{y.n} * y.h * y.w * x.c * w.r * w.s) *
               sizeof(float);
    }
};

// Outputs along an axis whose window's value at `tap` is no padding.
struct Inside {
    int begin, end;
    Inside(int tap, int pad, int stride, int size, int outputs) : begin(0), end(outputs) {
        while (begin < end && begin * stride - pad + tap < 0) {
            ++begin;
        }
        while (begin < end && (end - 1) * stride - pad + tap >= size) {
            --end;
        }
    }
};

// term(place in x, in w, in y) for each product that a convolution is the sum of.
template <class Term>
void for_filter(const Shape& s, std::int64_t n, std::int64_t k, const Term& term) {
    const std::int64_t group = k / (s.w.k / s.by.groups);
    for (std::int64_t c = 0; c < s.w.c; ++c) {
        for (int tap = 0; tap < s.w.r * s.w.s; ++tap) {
            const int r = tap / s.w.s;
            const int t = tap % s.w.s;
            const Inside rows(r, s.by.pad_h, s.by.stride_h, s.x.h, s.y.h);
            const Inside columns(t, s.by.pad_w, s.by.stride_w, s.x.w, s.y.w);
            const std::int64_t of_w = (k * s.w.c + c) * s.w.r * s.w.s + tap;
            for (std::int64_t p = rows.begin; p < rows.end; ++p) {
                const std::int64_t of_x =
                    (n * s.x.c + group * s.w.c + c) * s.x.h + p * s.by.stride_h - s.by.pad_h + r;
                const std::int64_t of_y = (n * s.y.c + k) * s.y.h + p;
                for (std::int64_t q = columns.begin; q < columns.end; ++q) {
                    term(of_x * s.x.w + q * s.by.stride_w - s.by.pad_w + t, of_w, of_y * s.y.w + q);
                }
            }
        }
    }
}
template <class Term>
void for_products(const Shape& s, const Term& term) {
    for (std::int64_t n = 0; n < s.x.n; ++n) {
        for (std::int64_t k = 0; k < s.w.k; ++k) {
            for_filter(s, n, k, term);
        }
    }
}

enum class Pass { forward, filter, data };
enum class Kind { by_tensor_cores, by_windows, unstable, plain };

struct Call {
    const char* name;
    Pass pass;
    Shape shape;
    const float* x;
    const float* w;
    const float* y;
    float* result;  // the one of them that the pass computes
    float alpha, beta;
    Kind kind;
    void* workspace;

    std::size_t needed_bytes() const {
        return kind == Kind::by_windows ? shape.windows_bytes() : 0;
    }
    std::int64_t values() const {
        return pass == Pass::forward  ? shape.y.values()
               : pass == Pass::filter ? shape.w.values()
                                      : shape.x.values();
    }
};

DeviceMatrix flat(const float* data, std::int64_t values) {
    return {data, values, 1, 0};
}

bool may_run(const Call& call) {
    const Pass pass = call.pass;
    const DeviceMatrix result = flat(call.result, call.values());
    const auto floats = static_cast<std::int64_t>(call.needed_bytes() / sizeof(float));
    return (pass == Pass::data || may_read(flat(call.x, call.shape.x.values()), call.name)) &&
           (pass == Pass::filter || may_read(flat(call.w, call.shape.w.values()), call.name)) &&
           (pass == Pass::forward || may_read(flat(call.y, call.shape.y.values()), call.name)) &&
           (call.beta == 0 || may_read(result, call.name)) && may_write(result, call.name) &&
           may_write(flat(static_cast<const float*>(call.workspace), floats), call.name);
}

// Done when the device comes to it.
cudaError_t run(const Call& call) {
    if (!may_run(call)) {
        return cudaErrorLaunchFailure;
    }
    if (call.needed_bytes() > 0) {
        std::memset(call.workspace, 0xFF,
                    call.needed_bytes());  // what a caller keeps there is gone
    }
    std::vector<double> sums(static_cast<std::size_t>(call.values()));
    double* const to = sums.data();
    const auto [x, w, y] = std::tuple(call.x, call.w, call.y);
    switch (call.pass) {
        case Pass::forward:
            for_products(call.shape, [=](auto of_x, auto of_w, auto of_y) {
                to[of_y] += double{x[of_x]} * double{w[of_w]};
            });
            break;
        case Pass::filter:
            for_products(call.shape, [=](auto of_x, auto of_w, auto of_y) {
                to[of_w] += double{x[of_x]} * double{y[of_y]};
            });
            break;
        case Pass::data:
            for_products(call.shape, [=](auto of_x, auto of_w, auto of_y) {
                to[of_x] += double{w[of_w]} * double{y[of_y]};
            });
    }
    static std::atomic<unsigned> calls[3];  // of each pass
    const unsigned number = calls[static_cast<int>(call.pass)]++;
    const bool other = call.kind == Kind::unstable && number % 2 == 1;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        float value = call.alpha * static_cast<float>(sums[i]);
        value += call.beta == 0 ? 0.0F : call.beta * call.result[i];
        call.result[i] = other ? std::nextafter(value, std::numeric_limits<float>::max()) : value;
    }
    return cudaSuccess;
}

cudnnStatus_t execute(cudnnHandle_t handle, const Call& call, std::size_t workspace_bytes) {
    if (handle == nullptr) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    if (!call.shape.fits() || workspace_bytes < call.needed_bytes() ||
        (call.workspace == nullptr && call.needed_bytes() > 0)) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    if (call.shape.by.math != CUDNN_FMA_MATH || call.kind == Kind::by_tensor_cores) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    if (has_faults() || enqueue(handle->stream, [=] { return run(call); }) != cudaSuccess) {
        return CUDNN_STATUS_EXECUTION_FAILED;
    }
    return CUDNN_STATUS_SUCCESS;
}

template <class Algorithm>
struct Listed {
    Algorithm algorithm;
    Kind kind;
};
// The fastest first.
constexpr Listed<cudnnConvolutionFwdAlgo_t> forward_algorithms[] = {
    {CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, Kind::by_tensor_cores},
    {CUDNN_CONVOLUTION_FWD_ALGO_GEMM, Kind::by_windows},
    {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, Kind::plain}};
constexpr Listed<cudnnConvolutionBwdFilterAlgo_t> filter_algorithms[] = {
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED, Kind::by_tensor_cores},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT, Kind::by_windows},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, Kind::unstable},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, Kind::plain}};
constexpr Listed<cudnnConvolutionBwdDataAlgo_t> data_algorithms[] = {
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, Kind::by_tensor_cores},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT, Kind::by_windows},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, Kind::unstable},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, Kind::plain}};

// One that is not listed needs tensor cores, for all this stand-in knows.
template <class Algorithm, std::size_t count>
Kind kind_of(const Listed<Algorithm> (&all)[count], Algorithm algorithm) {
    const auto* const found = std::find_if(std::begin(all), std::end(all), [&](const auto& each) {
        return each.algorithm == algorithm;
    });
    return found == std::end(all) ? Kind::by_tensor_cores : found->kind;
}

template <class Algorithm, std::size_t count>
cudnnStatus_t list(cudnnHandle_t handle, const Shape& shape, const Listed<Algorithm> (&all)[count],
                   int requested, int* returned, DnnAlgorithm<Algorithm>* found) {
    if (handle == nullptr) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    if (!shape.fits() || requested < 1) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    *returned = 0;
    for (const Listed<Algorithm>& each : all) {
        if (*returned == requested) {
            break;
        }
        found[(*returned)++] = {
            .algo = each.algorithm,
            .status = CUDNN_STATUS_SUCCESS,
            .time = -1,
            .memory = each.kind == Kind::by_windows ? shape.windows_bytes() : 0,
            .determinism =
                each.kind == Kind::unstable ? CUDNN_NON_DETERMINISTIC : CUDNN_DETERMINISTIC,
            .mathType = each.kind == Kind::by_tensor_cores ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH,
            .reserved = {}};
    }
    return CUDNN_STATUS_SUCCESS;
}

template <class Descriptor>
cudnnStatus_t create(Descriptor** made) {
    *made = new Descriptor;
    return CUDNN_STATUS_SUCCESS;
}
template <class Descriptor>
cudnnStatus_t destroy(Descriptor* made) {
    delete made;
    return CUDNN_STATUS_SUCCESS;
}

float value_of(const void* scalar) {
    return *static_cast<const float*>(scalar);
}
const float* floats(const void* data) {
    return static_cast<const float*>(data);
}

}  // namespace

const char* cudnnGetErrorString(cudnnStatus_t status) {
    switch (status) {
        case CUDNN_STATUS_SUCCESS:
            return "CUDNN_STATUS_SUCCESS";
        case CUDNN_STATUS_NOT_INITIALIZED:
            return "CUDNN_STATUS_NOT_INITIALIZED";
        case CUDNN_STATUS_BAD_PARAM:
            return "CUDNN_STATUS_BAD_PARAM";
        case CUDNN_STATUS_NOT_SUPPORTED:
            return "CUDNN_STATUS_NOT_SUPPORTED";
        case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
            return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
        case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
            return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
        case CUDNN_STATUS_EXECUTION_FAILED:
            return "CUDNN_STATUS_EXECUTION_FAILED";
    }
    return "CUDNN_STATUS_UNKNOWN";
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    if (forbidden_in_capture() != cudaSuccess || has_faults()) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    void* const memory = device_allocate(library_memory);
    if (memory == nullptr) {
        return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    }
    *handle = new EmulatedDnn{.memory = memory};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    if (handle == nullptr) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    device_release(handle->memory);
    delete handle;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    if (handle == nullptr) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
    return create(made);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
    return destroy(tensor);
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnTensorFormat_t /*format*/, cudnnDataType_t /*type*/,
                                         int n, int c, int h, int w) {
    *tensor = {n, c, h, w};
    return std::min({n, c, h, w}) > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
    return create(made);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
    return destroy(filter);
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t /*type*/,
                                         cudnnTensorFormat_t /*format*/, int k, int c, int h,
                                         int w) {
    *filter = {k, c, h, w};
    return std::min({k, c, h, w}) > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
    return create(made);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution) {
    return destroy(convolution);
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h,
                                              int pad_w, int u, int v, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t /*compute_type*/) {
    if (std::min(pad_h, pad_w) < 0 || std::min({u, v, dilation_h, dilation_w}) < 1) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    if (dilation_h != 1 || dilation_w != 1 || mode != CUDNN_CROSS_CORRELATION) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    *convolution = {.pad_h = pad_h, .pad_w = pad_w, .stride_h = u, .stride_w = v};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups) {
    convolution->groups = groups;
    return groups > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math) {
    convolution->math = math;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y, int requested,
    int* returned, cudnnConvolutionFwdAlgoPerf_t* found) {
    return list(handle, {*x, *y, *w, *convolution}, forward_algorithms, requested, returned, found);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw, int requested,
    int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* found) {
    return list(handle, {*x, *dy, *dw, *convolution}, filter_algorithms, requested, returned,
                found);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx, int requested,
    int* returned, cudnnConvolutionBwdDataAlgoPerf_t* found) {
    return list(handle, {*dx, *dy, *w, *convolution}, data_algorithms, requested, returned, found);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      cudnnTensorDescriptor_t x_shape, const void* x,
                                      cudnnFilterDescriptor_t w_shape, const void* w,
                                      cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      std::size_t workspace_bytes, const void* beta,
                                      cudnnTensorDescriptor_t y_shape, void* y) {
    return execute(handle,
                   {.name = "cudnnConvolutionForward",
                    .pass = Pass::forward,
                    .shape = {*x_shape, *y_shape, *w_shape, *convolution},
                    .x = floats(x),
                    .w = floats(w),
                    .y = nullptr,
                    .result = static_cast<float*>(y),
                    .alpha = value_of(alpha),
                    .beta = value_of(beta),
                    .kind = kind_of(forward_algorithms, algorithm),
                    .workspace = workspace},
                   workspace_bytes);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_shape, const void* x,
    cudnnTensorDescriptor_t dy_shape, const void* dy, cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, std::size_t workspace_bytes,
    const void* beta, cudnnFilterDescriptor_t dw_shape, void* dw) {
    return execute(handle,
                   {.name = "cudnnConvolutionBackwardFilter",
                    .pass = Pass::filter,
                    .shape = {*x_shape, *dy_shape, *dw_shape, *convolution},
                    .x = floats(x),
                    .w = nullptr,
                    .y = floats(dy),
                    .result = static_cast<float*>(dw),
                    .alpha = value_of(alpha),
                    .beta = value_of(beta),
                    .kind = kind_of(filter_algorithms, algorithm),
                    .workspace = workspace},
                   workspace_bytes);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           cudnnFilterDescriptor_t w_shape, const void* w,
                                           cudnnTensorDescriptor_t dy_shape, const void* dy,
                                           cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           std::size_t workspace_bytes, const void* beta,
                                           cudnnTensorDescriptor_t dx_shape, void* dx) {
    return execute(handle,
                   {.name = "cudnnConvolutionBackwardData",
                    .pass = Pass::data,
                    .shape = {*dx_shape, *dy_shape, *w_shape, *convolution},
                    .x = nullptr,
                    .w = floats(w),
                    .y = floats(dy),
                    .result = static_cast<float*>(dx),
                    .alpha = value_of(alpha),
                    .beta = value_of(beta),
                    .kind = kind_of(data_algorithms, algorithm),
                    .workspace = workspace},
                   workspace_bytes);
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void* alpha,
                             cudnnTensorDescriptor_t bias_shape, const void* bias, const void* beta,
                             cudnnTensorDescriptor_t y_shape, void* y) {
    if (handle == nullptr) {
        return CUDNN_STATUS_NOT_INITIALIZED;
    }
    const EmulatedDnnTensor shape = *y_shape;
    if (bias_shape->c != shape.c || bias_shape->values() != shape.c) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    const auto work = [=, by = value_of(alpha), kept = value_of(beta), from = floats(bias),
                       to = static_cast<float*>(y)] {
        constexpr const char* call = "cudnnAddTensor";
        const DeviceMatrix result = flat(to, shape.values());
        if (!may_read(flat(from, shape.c), call) || (kept != 0 && !may_read(result, call)) ||
            !may_write(result, call)) {
            return cudaErrorLaunchFailure;
        }
        const std::int64_t plane = std::int64_t{shape.h} * shape.w;
        for (std::int64_t i = 0; i < shape.values(); ++i) {
            to[i] = by * from[i / plane % shape.c] + (kept == 0 ? 0.0F : kept * to[i]);
        }
        return cudaSuccess;
    };
    return !has_faults() && enqueue(handle->stream, work) == cudaSuccess
               ? CUDNN_STATUS_SUCCESS
               : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // namespace trainscope::emulation
