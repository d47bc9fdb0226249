// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `cudnn`: NVIDIA's library of layers, which guesses the fastest of its own algorithms
// for a shape. Held to what the other variants are: float32 without tensor cores, the same bits
// each time, and a workspace that the plan of memory knows without a device: a fixed size, within
// which an algorithm is chosen. Refuses nothing but what is too large. Built for NVIDIA devices
// where cuDNN is found.
#ifdef TRAINSCOPE_EMULATED
#include "engine/cuda/emulation/cudnn_api.h"
#else
#include <cudnn.h>
#endif

#include <map>
#include <mutex>
#include <new>
#include <span>

#include "engine/cuda/conv2d/rung.h"

namespace trainscope::cuda {
namespace {

// Of an algorithm; the bias' gradient uses it before.
constexpr std::int64_t library_bytes = conv2d::workspace_floats * std::int64_t{sizeof(float)};

void note_dnn(cudnnStatus_t status, const char* call,
              std::source_location at = std::source_location::current()) {
    if (status != CUDNN_STATUS_SUCCESS) {
        note_failure(call, fmt::format("cuDNN's status {}", int{status}),
                     cudnnGetErrorString(status), at);
    }
}

// The library's state for a stream. Making one takes time and device memory that no plan counts, so
// that all kernels of a stream share it.
class Library {
  public:
    explicit Library(cudaStream_t stream) {
        const cudnnStatus_t made = cudnnCreate(&handle_);
        if (made == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
            made == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
            static_cast<void>(cudaGetLastError());  // an answer, no failure of the device
            throw std::bad_alloc();
        }
        note_dnn(made, "cudnnCreate");
        if (made == CUDNN_STATUS_SUCCESS) {
            note_dnn(cudnnSetStream(handle_, stream), "cudnnSetStream");
        } else {
            handle_ = nullptr;
        }
    }
    ~Library() {
        if (handle_ != nullptr) {
            note_dnn(cudnnDestroy(handle_), "cudnnDestroy");
        }
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    // nullptr where there is none, which is noted.
    cudnnHandle_t handle() const { return handle_; }

    static std::shared_ptr<Library> of(cudaStream_t stream) {
        static std::mutex mutex;
        static std::map<cudaStream_t, std::weak_ptr<Library>> all;
        const std::lock_guard lock(mutex);
        std::erase_if(all, [](const auto& each) { return each.second.expired(); });
        std::shared_ptr<Library> found = all[stream].lock();
        if (found == nullptr) {
            found = std::make_shared<Library>(stream);
            all[stream] = found;
        }
        return found;
    }

  private:
    cudnnHandle_t handle_ = nullptr;
};

// What the library knows of a shape.
class Descriptors {
  public:
    explicit Descriptors(const Conv2d::Shape& shape) {
        const conv2d::Geometry g = conv2d::geometry_of(shape);
        const int n = static_cast<int>(g.n);
        make_tensor(x, n, g.c, g.h, g.w);
        make_tensor(y, n, g.k, g.out_h, g.out_w);
        make_tensor(bias, 1, g.k, 1, 1);
        note_dnn(cudnnCreateFilterDescriptor(&weight), "cudnnCreateFilterDescriptor");
        note_dnn(cudnnSetFilter4dDescriptor(weight, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, g.k,
                                            g.group_c, g.r, g.s),
                 "cudnnSetFilter4dDescriptor");
        note_dnn(cudnnCreateConvolutionDescriptor(&convolution),
                 "cudnnCreateConvolutionDescriptor");
        note_dnn(
            cudnnSetConvolution2dDescriptor(convolution, g.pad_h, g.pad_w, g.stride_h, g.stride_w,
                                            1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
            "cudnnSetConvolution2dDescriptor");
        note_dnn(cudnnSetConvolutionGroupCount(convolution, static_cast<int>(shape.groups)),
                 "cudnnSetConvolutionGroupCount");
        // The default one takes tensor cores for float32 too.
        note_dnn(cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH),
                 "cudnnSetConvolutionMathType");
    }
    ~Descriptors() {
        for (cudnnTensorDescriptor_t const each : {x, y, bias}) {
            if (each != nullptr) {
                note_dnn(cudnnDestroyTensorDescriptor(each), "cudnnDestroyTensorDescriptor");
            }
        }
        if (weight != nullptr) {
            note_dnn(cudnnDestroyFilterDescriptor(weight), "cudnnDestroyFilterDescriptor");
        }
        if (convolution != nullptr) {
            note_dnn(cudnnDestroyConvolutionDescriptor(convolution),
                     "cudnnDestroyConvolutionDescriptor");
        }
    }
    Descriptors(const Descriptors&) = delete;
    Descriptors& operator=(const Descriptors&) = delete;

    cudnnTensorDescriptor_t x = nullptr, y = nullptr, bias = nullptr;
    cudnnFilterDescriptor_t weight = nullptr;
    cudnnConvolutionDescriptor_t convolution = nullptr;

  private:
    static void make_tensor(cudnnTensorDescriptor_t& made, int n, int c, int h, int w) {
        note_dnn(cudnnCreateTensorDescriptor(&made), "cudnnCreateTensorDescriptor");
        note_dnn(cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w),
                 "cudnnSetTensor4dDescriptor");
    }
};

// Of the algorithms that the library names, the one that it thinks fastest first, the first that is
// held to all that is said above; nullopt: that there is none is noted. `Found` is the record of
// the pass in question.
template <class Found, class Ask>
auto choose(const char* call, const Ask& ask) -> std::optional<decltype(Found::algo)> {
    Found found[16];  // more than any pass has
    int count = 0;
    const cudnnStatus_t asked = ask(static_cast<int>(std::size(found)), &count, found);
    note_dnn(asked, call);
    if (asked != CUDNN_STATUS_SUCCESS) {
        return std::nullopt;
    }
    for (const Found& each : std::span(found, static_cast<std::size_t>(count))) {
        if (each.status == CUDNN_STATUS_SUCCESS && each.determinism == CUDNN_DETERMINISTIC &&
            (each.mathType == CUDNN_FMA_MATH || each.mathType == CUDNN_DEFAULT_MATH) &&
            each.memory <= static_cast<std::size_t>(library_bytes)) {
            return each.algo;
        }
    }
    note_failure(call, "no algorithm",
                 fmt::format("none of {} computes in float32, gives the same bits each time and "
                             "needs at most {} bytes",
                             count, library_bytes));
    return std::nullopt;
}

class Cudnn final : public Conv2d::Kernel {
  public:
    Cudnn(const Conv2d::Shape& shape, const KernelContext& context)
        : shape_(shape),
          geometry_(conv2d::geometry_of(shape)),
          stream_(stream_of(context)),
          library_(Library::of(stream_)),
          d_(shape) {
        if (handle() != nullptr) {
            choose_algorithms();
        }
    }

    // What the library's interface counts in int.
    static std::optional<std::string> refuses(const Conv2d::Shape& s) {
        if (auto reason = conv2d::too_large(s)) {
            return reason;
        }
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        const std::int64_t counted = std::max(s.input_elements(), s.output_elements());
        if (counted > most) {
            return "a tensor has " + std::to_string(counted) + " values; cuDNN counts to " +
                   std::to_string(most);
        }
        return std::nullopt;
    }
    static std::int64_t workspace_bytes(const Conv2d::Shape& shape) {
        const std::int64_t of_bias = conv2d::splits_of(shape).parts * shape.k;
        return std::max(library_bytes, of_bias * static_cast<std::int64_t>(sizeof(float)));
    }

    void forward(const Conv2d::Forward& args) override {
        if (!forward_) {
            return;  // why is noted
        }
        note_dnn(cudnnConvolutionForward(handle(), &one, d_.x, args.x, d_.weight, args.weight,
                                         d_.convolution, *forward_, args.workspace, library_bytes,
                                         &zero, d_.y, args.y),
                 "cudnnConvolutionForward");
        if (args.bias != nullptr) {
            note_dnn(cudnnAddTensor(handle(), &one, d_.bias, args.bias, &one, d_.y, args.y),
                     "cudnnAddTensor");
        }
    }

    void backward(const Conv2d::Backward& args) override {
        if (args.dbias != nullptr) {
            conv2d::sum_bias_gradient(stream_, geometry_, conv2d::splits_of(shape_), args,
                                      static_cast<float*>(args.workspace));
        }
        if (of_weight_) {
            note_dnn(cudnnConvolutionBackwardFilter(handle(), &one, d_.x, args.x, d_.y, args.dy,
                                                    d_.convolution, *of_weight_, args.workspace,
                                                    library_bytes, args.accumulate ? &one : &zero,
                                                    d_.weight, args.dweight),
                     "cudnnConvolutionBackwardFilter");
        }
        if (args.dx != nullptr && of_input_) {
            note_dnn(cudnnConvolutionBackwardData(
                         handle(), &one, d_.weight, args.weight, d_.y, args.dy, d_.convolution,
                         *of_input_, args.workspace, library_bytes, &zero, d_.x, args.dx),
                     "cudnnConvolutionBackwardData");
        }
    }

  private:
    static constexpr float one = 1, zero = 0;

    cudnnHandle_t handle() const { return library_->handle(); }

    void choose_algorithms() {
        forward_ = choose<cudnnConvolutionFwdAlgoPerf_t>(
            "cudnnGetConvolutionForwardAlgorithm_v7", [&](int most, int* count, auto* found) {
                return cudnnGetConvolutionForwardAlgorithm_v7(
                    handle(), d_.x, d_.weight, d_.convolution, d_.y, most, count, found);
            });
        of_weight_ = choose<cudnnConvolutionBwdFilterAlgoPerf_t>(
            "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
            [&](int most, int* count, auto* found) {
                return cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                    handle(), d_.x, d_.y, d_.convolution, d_.weight, most, count, found);
            });
        of_input_ = choose<cudnnConvolutionBwdDataAlgoPerf_t>(
            "cudnnGetConvolutionBackwardDataAlgorithm_v7", [&](int most, int* count, auto* found) {
                return cudnnGetConvolutionBackwardDataAlgorithm_v7(
                    handle(), d_.weight, d_.y, d_.convolution, d_.x, most, count, found);
            });
    }

    Conv2d::Shape shape_;
    conv2d::Geometry geometry_;
    cudaStream_t stream_;
    std::shared_ptr<Library> library_;
    Descriptors d_;
    std::optional<cudnnConvolutionFwdAlgo_t> forward_;
    std::optional<cudnnConvolutionBwdFilterAlgo_t> of_weight_;
    std::optional<cudnnConvolutionBwdDataAlgo_t> of_input_;
};

// Taken by its name: it was measured on no card yet.
const Registered<Conv2d> registered{
    device_kind,
    {.name = "cudnn",
     .description = "NVIDIA's library of layers in float32, which chooses an algorithm by shape.",
     .preference = -1,
     .refuses = Cudnn::refuses,
     .workspace_bytes = [](const Conv2d::Shape& shape,
                           const KernelContext&) { return Cudnn::workspace_bytes(shape); },
     .make = [](const Conv2d::Shape& shape, const KernelContext& context)
         -> std::unique_ptr<Conv2d::Kernel> { return std::make_unique<Cudnn>(shape, context); }}};

}  // namespace
}  // namespace trainscope::cuda
