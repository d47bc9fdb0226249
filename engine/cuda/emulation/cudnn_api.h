// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of cuDNN that Trainscope uses, on the emulated device. Names, arguments, numbers and
// results are cuDNN 9's. What it can do is less: float32 [N, C, H, W], without dilation and without
// tensor cores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/cuda/emulation/runtime_api.h"

namespace trainscope::emulation {

enum cudnnStatus_t : int {
    CUDNN_STATUS_SUCCESS = 0,
    CUDNN_STATUS_NOT_INITIALIZED = 1001,
    CUDNN_STATUS_BAD_PARAM = 2000,
    CUDNN_STATUS_NOT_SUPPORTED = 3000,
    CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
    CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004,
    CUDNN_STATUS_EXECUTION_FAILED = 5000,
};
const char* cudnnGetErrorString(cudnnStatus_t status);

enum cudnnDataType_t : int { CUDNN_DATA_FLOAT = 0 };
enum cudnnTensorFormat_t : int { CUDNN_TENSOR_NCHW = 0 };
enum cudnnConvolutionMode_t : int { CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1 };
enum cudnnDeterminism_t : int { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 };
enum cudnnMathType_t : int {
    CUDNN_DEFAULT_MATH = 0,
    CUDNN_TENSOR_OP_MATH = 1,
    CUDNN_FMA_MATH = 3,
};

// Takes a little device memory.
using cudnnHandle_t = struct EmulatedDnn*;
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);

using cudnnTensorDescriptor_t = struct EmulatedDnnTensor*;
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made);
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor);
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w);
using cudnnFilterDescriptor_t = struct EmulatedDnnFilter*;
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made);
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter);
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w);
using cudnnConvolutionDescriptor_t = struct EmulatedDnnConvolution*;
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made);
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution);
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution, int pad_h,
                                              int pad_w, int u, int v, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute_type);
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t convolution, int groups);
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math);

// The algorithms that there are: one by tensor cores, one with a workspace as large as the matrix
// of all windows, and one without; on the ways back before that one, as the faster one without a
// workspace, one whose bits are others each time.
enum cudnnConvolutionFwdAlgo_t : int {
    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
    CUDNN_CONVOLUTION_FWD_ALGO_GEMM = 2,
    CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7,
};
enum cudnnConvolutionBwdFilterAlgo_t : int {
    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,  // non-deterministic
    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2,
    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
};
enum cudnnConvolutionBwdDataAlgo_t : int {
    CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,  // non-deterministic
    CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
    CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2,
    CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5,
};
template <class Algorithm>
struct DnnAlgorithm {
    Algorithm algo;
    cudnnStatus_t status;
    float time;
    std::size_t memory;
    cudnnDeterminism_t determinism;
    cudnnMathType_t mathType;
    int reserved[3];
};
using cudnnConvolutionFwdAlgoPerf_t = DnnAlgorithm<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t = DnnAlgorithm<cudnnConvolutionBwdFilterAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t = DnnAlgorithm<cudnnConvolutionBwdDataAlgo_t>;

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y, int requested,
    int* returned, cudnnConvolutionFwdAlgoPerf_t* found);
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw, int requested,
    int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* found);
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx, int requested,
    int* returned, cudnnConvolutionBwdDataAlgoPerf_t* found);

// result = alpha * (what the call computes) + beta * result; with beta 0 the result is not read.
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      cudnnTensorDescriptor_t x_shape, const void* x,
                                      cudnnFilterDescriptor_t w_shape, const void* w,
                                      cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      std::size_t workspace_bytes, const void* beta,
                                      cudnnTensorDescriptor_t y_shape, void* y);
cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_shape, const void* x,
    cudnnTensorDescriptor_t dy_shape, const void* dy, cudnnConvolutionDescriptor_t convolution,
    cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, std::size_t workspace_bytes,
    const void* beta, cudnnFilterDescriptor_t dw_shape, void* dw);
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           cudnnFilterDescriptor_t w_shape, const void* w,
                                           cudnnTensorDescriptor_t dy_shape, const void* dy,
                                           cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           std::size_t workspace_bytes, const void* beta,
                                           cudnnTensorDescriptor_t dx_shape, void* dx);
// Here a bias [1, C, 1, 1] and nothing else.
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void* alpha,
                             cudnnTensorDescriptor_t bias_shape, const void* bias, const void* beta,
                             cudnnTensorDescriptor_t y_shape, void* y);

}  // namespace trainscope::emulation
