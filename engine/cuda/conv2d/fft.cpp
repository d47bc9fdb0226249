// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `fft`: planes and filters are transformed by cuFFT, and what is a sum over positions
// and taps becomes one product a frequency (Mathieu, Henaff and LeCun 2014). With X, W and Y the
// spectra of x, the filters and y, and * the conjugate: Y = X W*, dX = dY W, dW = X dY*, each a sum
// over channels, filters or samples. The cost of a tap is nothing, so that over `implicit_gemm` it
// gains with the size of the filters; each filter takes a spectrum as large as a plane's.
// Bound by device memory. Refuses strides: a product of spectra makes all positions, and those that
// a stride leaves out would be thrown away.
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/conv2d/spectra.h"

namespace trainscope::cuda {
namespace {

using conv2d::Placed;
using To = PlaneTransforms::To;

// Of a sum over samples, before it is added to the sum of sums: see engine/cuda/long_sum.h.
constexpr std::int64_t samples_of_sum = 512;

// Padding is what lies between the plane's end and its beginning, which meet: once is enough for
// both sides. All results and all taps must have a place of their own.
TransformedPlane plane_of(const Conv2d::Shape& s) {
    return {transform_size(std::max({s.h + s.pad_h, s.out_h(), s.r})),
            transform_size(std::max({s.w + s.pad_w, s.out_w(), s.s}))};
}

// The workspace: spectra of the filters, then of the samples at hand: x or dx, and y or dy; last
// the library's own part.
struct Layout {
    explicit Layout(const Conv2d::Shape& s)
        : plane(plane_of(s)),
          filters(s.k * (s.c / s.groups)),
          samples(std::clamp(conv2d::workspace_floats / ((s.c + s.k) * plane.floats()),
                             std::int64_t{1}, std::min(s.n, samples_of_sum))),
          inputs_at(filters * plane.floats()),
          outputs_at(inputs_at + samples * s.c * plane.floats()),
          work_at((outputs_at + samples * s.k * plane.floats() + 63) / 64 * 64),
          work_bytes(PlaneTransforms::work_bytes(plane, samples * std::max(s.c, s.k))) {}

    std::int64_t bytes() const {
        return work_at * static_cast<std::int64_t>(sizeof(float)) + work_bytes;
    }

    TransformedPlane plane;
    std::int64_t filters;
    std::int64_t samples;  // at once
    // In floats from the workspace's start.
    std::int64_t inputs_at, outputs_at, work_at;
    std::int64_t work_bytes;
};

class Fft final : public Conv2d::Kernel {
  public:
    Fft(const Conv2d::Shape& shape, const KernelContext& context)
        : shape_(shape),
          geometry_(conv2d::geometry_of(shape)),
          layout_(shape),
          stream_(stream_of(context)),
          transforms_(stream_, layout_.plane, layout_.work_bytes) {
        for (const To to : {To::spectra, To::planes}) {
            transforms_.prepare(to, layout_.filters);
            for (const std::int64_t samples : {layout_.samples, shape.n % layout_.samples}) {
                if (samples > 0) {
                    transforms_.prepare(to, samples * shape.c);
                    transforms_.prepare(to, samples * shape.k);
                }
            }
        }
    }

    static std::optional<std::string> refuses(const Conv2d::Shape& s) {
        if (s.stride_h != 1 || s.stride_w != 1) {
            return "it is for stride 1, for a product of spectra makes the results of all "
                   "positions; this is " +
                   std::to_string(s.stride_h) + " x " + std::to_string(s.stride_w);
        }
        if (auto reason = conv2d::too_large(s)) {
            return reason;
        }
        constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
        const std::int64_t counted =
            std::max(s.c + s.k, s.k * (s.c / s.groups)) * plane_of(s).floats();
        if (counted > most) {
            return "the spectra of one sample or of the filters have " + std::to_string(counted) +
                   " values; this kernel counts to " + std::to_string(most);
        }
        return std::nullopt;
    }
    static std::int64_t workspace_bytes(const Conv2d::Shape& s) {
        const std::int64_t of_bias = conv2d::splits_of(s).parts * s.k;
        return std::max(Layout(s).bytes(), of_bias * static_cast<std::int64_t>(sizeof(float)));
    }

    void forward(const Conv2d::Forward& args) override {
        auto* const filters = static_cast<float*>(args.workspace);
        transform(filter_taps(), layout_.filters, args.weight, filters, args.workspace);
        for_samples([&](std::int64_t first, std::int64_t samples) {
            transform(inputs(), samples * shape_.c, args.x + first * of_x(),
                      filters + layout_.inputs_at, args.workspace);
            conv2d::multiply_spectra(
                stream_, layout_.plane,
                {.lines = static_cast<int>(samples),
                 .columns = geometry_.group_k,
                 .terms = geometry_.group_c,
                 .groups = groups(),
                 .a = {filters + layout_.inputs_at, shape_.c, 1, geometry_.group_c},
                 .b = {filters, geometry_.group_c, 1, group_filters()},
                 .conjugate_b = true,
                 .c = filters + layout_.outputs_at,
                 .c_line = shape_.k,
                 .c_column = 1,
                 .c_group = geometry_.group_k});
            transform_back(outputs(), samples * shape_.k, filters + layout_.outputs_at,
                           {.bias = args.bias, .channels = geometry_.k}, args.y + first * of_y(),
                           args.workspace);
        });
    }

    void backward(const Conv2d::Backward& args) override {
        if (args.dbias != nullptr) {
            conv2d::sum_bias_gradient(stream_, geometry_, conv2d::splits_of(shape_), args,
                                      static_cast<float*>(args.workspace));
        }
        weight_gradient(args);
        if (args.dx != nullptr) {
            input_gradient(args);
        }
    }

  private:
    void weight_gradient(const Conv2d::Backward& args) {
        auto* const filters = static_cast<float*>(args.workspace);
        for_samples([&](std::int64_t first, std::int64_t samples) {
            transform(inputs(), samples * shape_.c, args.x + first * of_x(),
                      filters + layout_.inputs_at, args.workspace);
            transform(outputs(), samples * shape_.k, args.dy + first * of_y(),
                      filters + layout_.outputs_at, args.workspace);
            conv2d::multiply_spectra(
                stream_, layout_.plane,
                {.lines = geometry_.group_c,
                 .columns = geometry_.group_k,
                 .terms = static_cast<int>(samples),
                 .groups = groups(),
                 .a = {filters + layout_.inputs_at, 1, shape_.c, geometry_.group_c},
                 .b = {filters + layout_.outputs_at, 1, shape_.k, geometry_.group_k},
                 .conjugate_b = true,
                 .c = filters,
                 .c_line = 1,
                 .c_column = geometry_.group_c,
                 .c_group = group_filters(),
                 .accumulate = first > 0});
        });
        transform_back(filter_taps(), layout_.filters, filters, {.accumulate = args.accumulate},
                       args.dweight, args.workspace);
    }

    // After the weights' gradient: where all samples are at hand, the spectra of dy are still
    // there.
    void input_gradient(const Conv2d::Backward& args) {
        auto* const filters = static_cast<float*>(args.workspace);
        transform(filter_taps(), layout_.filters, args.weight, filters, args.workspace);
        for_samples([&](std::int64_t first, std::int64_t samples) {
            if (samples < shape_.n) {
                transform(outputs(), samples * shape_.k, args.dy + first * of_y(),
                          filters + layout_.outputs_at, args.workspace);
            }
            conv2d::multiply_spectra(
                stream_, layout_.plane,
                {.lines = static_cast<int>(samples),
                 .columns = geometry_.group_c,
                 .terms = geometry_.group_k,
                 .groups = groups(),
                 .a = {filters + layout_.outputs_at, shape_.k, 1, geometry_.group_k},
                 .b = {filters, 1, geometry_.group_c, group_filters()},
                 .conjugate_b = false,
                 .c = filters + layout_.inputs_at,
                 .c_line = shape_.c,
                 .c_column = 1,
                 .c_group = geometry_.group_c});
            transform_back(inputs(), samples * shape_.c, filters + layout_.inputs_at, {},
                           args.dx + first * of_x(), args.workspace);
        });
    }

    void transform(const Placed& placed, std::int64_t planes, const float* from, float* to,
                   void* workspace) {
        conv2d::write_planes(stream_, layout_.plane, placed, planes, from, to);
        transforms_.run(To::spectra, planes, to, work(workspace));
    }
    void transform_back(const Placed& placed, std::int64_t planes, float* from,
                        conv2d::Finish finish, float* to, void* workspace) {
        transforms_.run(To::planes, planes, from, work(workspace));
        finish.scale = 1 / static_cast<float>(layout_.plane.height * layout_.plane.width);
        conv2d::read_planes(stream_, layout_.plane, placed, planes, from, finish, to);
    }
    void* work(void* workspace) const { return static_cast<float*>(workspace) + layout_.work_at; }

    template <class Body>
    void for_samples(const Body& body) const {
        for (std::int64_t first = 0; first < shape_.n; first += layout_.samples) {
            body(first, std::min(layout_.samples, shape_.n - first));
        }
    }

    // The first result's window begins in the padding, before the first value of x.
    Placed inputs() const { return {geometry_.h, geometry_.w}; }
    Placed outputs() const {
        return {geometry_.out_h, geometry_.out_w, geometry_.pad_h, geometry_.pad_w};
    }
    Placed filter_taps() const { return {geometry_.r, geometry_.s}; }

    int groups() const { return static_cast<int>(shape_.groups); }
    std::int64_t group_filters() const {
        return std::int64_t{geometry_.group_k} * geometry_.group_c;
    }
    // Floats of a sample.
    std::int64_t of_x() const { return shape_.c * shape_.h * shape_.w; }
    std::int64_t of_y() const { return shape_.k * shape_.out_h() * shape_.out_w(); }

    Conv2d::Shape shape_;
    conv2d::Geometry geometry_;
    Layout layout_;
    cudaStream_t stream_;
    PlaneTransforms transforms_;
};

// Taken by its name: from which filters on it pays was measured on no card yet.
const Registered<Conv2d> registered{
    device_kind,
    {.name = "fft",
     .description = "Products of spectra, transformed by cuFFT: for large filters of stride 1.",
     .preference = -1,
     .refuses = Fft::refuses,
     .workspace_bytes = [](const Conv2d::Shape& shape,
                           const KernelContext&) { return Fft::workspace_bytes(shape); },
     .make = [](const Conv2d::Shape& shape, const KernelContext& context)
         -> std::unique_ptr<Conv2d::Kernel> { return std::make_unique<Fft>(shape, context); }}};

}  // namespace
}  // namespace trainscope::cuda
