// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `im2col_cublas`: the matrices of `im2col`, multiplied by NVIDIA's library, many
// samples a call. A filter of one value that meets each input once needs no matrix: x is one. The
// library adds no bias and no parts up, so that y starts as the bias, and in dweight the samples of
// a part are added to it one after another, all parts at once. Refuses nothing but what is too
// large.
#include "engine/cuda/blas.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/conv2d/windows.h"

namespace trainscope::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void fill_planes(const float* bias, int filters, int plane, std::int64_t size,
                            float* y) {
    for (std::int64_t i = global_thread(); i < size; i += grid_threads()) {
        y[i] = bias[i / plane % filters];
    }
}

bool needs_matrix(const Conv2d::Shape& s) {
    return s.r * s.s * s.stride_h * s.stride_w != 1 || s.pad_h != 0 || s.pad_w != 0;
}

class Im2colCublas final : public conv2d::Rung {
  public:
    Im2colCublas(const Conv2d::Shape& shape, const KernelContext& context,
                 const conv2d::Splits& splits)
        : Rung(shape, context, splits), blas_(blas_of(context)), has_matrix_(needs_matrix(shape)) {}

    static conv2d::Splits splits(const Conv2d::Shape& shape) {
        return conv2d::splits_of_samples(shape);
    }
    static std::int64_t workspace_bytes(const Conv2d::Shape& shape) {
        return library_at(shape) + Blas::workspace_bytes;
    }
    // Where no matrix is written it is a plain product, for which "auto" decides as for a dense
    // layer. Others are taken by name.
    static int preference(const Conv2d::Shape& s) {
        const bool takes =
            !needs_matrix(s) &&
            is_worth_blas_workspace(s.input_elements() + s.weight_elements() + s.output_elements());
        return takes ? 50 : -1;
    }

    void forward(const Conv2d::Forward& args) override {
        auto* const matrix = static_cast<float*>(args.workspace);
        if (args.bias != nullptr) {
            const std::int64_t size = shape_.output_elements();
            launch(on(stream_, blocks_for(size, threads), threads), fill_planes, args.bias,
                   geometry_.k, static_cast<int>(positions()), size, args.y);
        }
        for_samples([&](std::int64_t first, std::int64_t samples) {
            multiply(samples, args.workspace,
                     {.product = {.rows = geometry_.group_k,
                                  .columns = positions(),
                                  .depth = depth(),
                                  .a = {args.weight, depth()},
                                  .b = {windows(args.x, first, samples, matrix), positions()},
                                  .c = args.y + first * of_y(),
                                  .c_stride = positions(),
                                  .accumulate = args.bias != nullptr},
                      .a = {0, group_weights()},
                      .b = {of_windows(), depth() * positions()},
                      .c = {of_y(), geometry_.group_k * positions()}});
        });
    }

  private:
    // How far it is to the same matrix of the next sample and group.
    struct Steps {
        std::int64_t sample, group;
    };
    struct OfSamples {
        BlasProduct product;  // the first
        Steps a, b, c;
    };

    // The library's own part of the workspace lies behind the parts of dweight and the matrix.
    static std::int64_t library_at(const Conv2d::Shape& shape) {
        constexpr std::int64_t alignment = 256;
        const std::int64_t matrix =
            needs_matrix(shape) ? conv2d::samples_at_once(shape) * conv2d::windows_of_sample(shape)
                                : 0;
        const std::int64_t bytes = conv2d::partial_bytes(shape, splits(shape)) +
                                   matrix * static_cast<std::int64_t>(sizeof(float));
        return (bytes + alignment - 1) / alignment * alignment;
    }

    // dweight of part p is the sum over its samples; the j-th of all parts are one call.
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        float* const matrix = partial + conv2d::partial_bytes(shape_, splits_) /
                                            static_cast<std::int64_t>(sizeof(float));
        const std::int64_t of_part = splits_.rows / shape_.out_h();
        for_samples([&](std::int64_t first, std::int64_t samples) {
            const float* const b = windows(args.x, first, samples, matrix);
            for (std::int64_t j = 0; j < std::min(of_part, samples); ++j) {
                const std::int64_t parts = (samples - j + of_part - 1) / of_part;
                multiply(parts, args.workspace,
                         {.product = {.rows = geometry_.group_k,
                                      .columns = depth(),
                                      .depth = positions(),
                                      .a = {args.dy + (first + j) * of_y(), positions()},
                                      .b = {b + j * of_windows(), positions(), true},
                                      .c = partial + first / of_part * geometry_.weights,
                                      .c_stride = depth(),
                                      .accumulate = j > 0},
                          .a = {of_part * of_y(), geometry_.group_k * positions()},
                          .b = {of_part * of_windows(), depth() * positions()},
                          .c = {geometry_.weights, group_weights()}});
            }
        });
    }
    void input_gradient(const Conv2d::Backward& args) override {
        auto* const matrix = static_cast<float*>(args.workspace);
        for_samples([&](std::int64_t first, std::int64_t samples) {
            float* const dx = args.dx + first * of_x();
            multiply(samples, args.workspace,
                     {.product = {.rows = depth(),
                                  .columns = positions(),
                                  .depth = geometry_.group_k,
                                  .a = {args.weight, depth(), true},
                                  .b = {args.dy + first * of_y(), positions()},
                                  .c = has_matrix_ ? matrix : dx,
                                  .c_stride = positions()},
                      .a = {0, group_weights()},
                      .b = {of_y(), geometry_.group_k * positions()},
                      .c = {of_windows(), depth() * positions()}});
            if (has_matrix_) {
                conv2d::sum_windows(stream_, geometry_, samples, matrix, dx);
            }
        });
    }

    // A call for each group, or for each sample where those are fewer.
    void multiply(std::int64_t samples, void* workspace, const OfSamples& all) const {
        const std::int64_t groups = shape_.groups;
        const bool by_group = groups <= samples;
        for (std::int64_t i = 0; i < std::min(groups, samples); ++i) {
            BlasProduct product = all.product;
            product.count = by_group ? samples : groups;
            const auto start = [&](const Steps& s) { return i * (by_group ? s.group : s.sample); };
            const auto step = [&](const Steps& s) { return by_group ? s.sample : s.group; };
            product.a.data += start(all.a);
            product.a.step = step(all.a);
            product.b.data += start(all.b);
            product.b.step = step(all.b);
            product.c += start(all.c);
            product.c_step = step(all.c);
            blas_.multiply(product, Arithmetic::fp32,
                           static_cast<std::byte*>(workspace) + library_at(shape_));
        }
    }
    // Of these samples: x itself, or what is written to `matrix`.
    const float* windows(const float* x, std::int64_t first, std::int64_t samples,
                         float* matrix) const {
        const float* const begin = x + first * of_x();
        if (!has_matrix_) {
            return begin;
        }
        conv2d::write_windows(stream_, geometry_, samples, begin, matrix);
        return matrix;
    }
    template <class Body>
    void for_samples(const Body& body) const {
        const std::int64_t at_once = has_matrix_ ? conv2d::samples_at_once(shape_) : shape_.n;
        for (std::int64_t first = 0; first < shape_.n; first += at_once) {
            body(first, std::min(at_once, shape_.n - first));
        }
    }

    std::int64_t positions() const { return geometry_.out_h * geometry_.out_w; }
    std::int64_t depth() const { return geometry_.group_c * geometry_.r * geometry_.s; }
    std::int64_t group_weights() const { return geometry_.group_k * depth(); }
    // Floats of a sample.
    std::int64_t of_x() const { return shape_.c * shape_.h * shape_.w; }
    std::int64_t of_y() const { return shape_.k * positions(); }
    std::int64_t of_windows() const { return conv2d::windows_of_sample(shape_); }

    Blas& blas_;
    bool has_matrix_;
};

KernelVariant<Conv2d> im2col_cublas() {
    KernelVariant<Conv2d> made = conv2d::variant<Im2colCublas>(
        "im2col_cublas", "The matrices of im2col, multiplied by NVIDIA's library in float32.", -1);
    made.preference_for_shape = Im2colCublas::preference;
    return made;
}
const Registered<Conv2d> registered{device_kind, im2col_cublas()};

}  // namespace
}  // namespace trainscope::cuda
