// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `im2col`: the windows of a sample become the columns of a matrix that is written out,
// and the passes become plain products of matrices, a sample each. It is the usual way, shown to be
// compared: beside `implicit_gemm` it writes and reads N * OH * OW * C * R * S values more, in a
// workspace of some samples at a time, and a small plane leaves most of a tile empty; in return
// the product's loads need no indices. Bound by device memory with few filters. Refuses nothing.
#include "engine/cuda/conv2d/geometry.h"
#include "engine/cuda/conv2d/products.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/kernel.h"

namespace trainscope::cuda {
namespace {

using conv2d::Geometry;
using conv2d::Products;
using conv2d::Span;
using conv2d::Splits;

constexpr unsigned threads = 256;

// x [samples, C, H, W] -> matrix [samples, C * R * S, OH * OW]; one thread an element.
__global__ void write_windows(Geometry g, std::int64_t samples, const float* x, float* matrix) {
    const std::int64_t of_sample = std::int64_t{g.c} * g.taps() * g.out_plane();
    for (std::int64_t i = global_thread(); i < samples * of_sample; i += grid_threads()) {
        const std::int64_t line = i / g.out_plane();  // sample, channel and tap
        const int p = static_cast<int>(i - line * g.out_plane());
        const std::int64_t plane = line / g.taps();
        const int tap = static_cast<int>(line - plane * g.taps());
        const int h = p / g.out_w * g.stride_h - g.pad_h + tap / g.s;
        const int w = p % g.out_w * g.stride_w - g.pad_w + tap % g.s;
        const bool inside = h >= 0 && h < g.h && w >= 0 && w < g.w;
        matrix[i] = inside ? x[plane * g.plane() + h * g.w + w] : 0.0F;
    }
}

// col2im: the sum of what the matrix holds for each input; one thread an input.
__global__ void sum_windows(Geometry g, std::int64_t samples, const float* matrix, float* dx) {
    for (std::int64_t i = global_thread(); i < samples * g.sample(); i += grid_threads()) {
        const std::int64_t plane = i / g.plane();
        const int at = static_cast<int>(i - plane * g.plane());
        const int row = at / g.w + g.pad_h;
        const int column = at % g.w + g.pad_w;
        const Span rows = conv2d::windows_over(row, g.r, g.stride_h, g.out_h);
        const Span columns = conv2d::windows_over(column, g.s, g.stride_w, g.out_w);
        const float* const lines = matrix + plane * g.taps() * g.out_plane();
        float sum = 0;
        for (int oh = rows.begin; oh < rows.end; ++oh) {
            for (int ow = columns.begin; ow < columns.end; ++ow) {
                const int tap = (row - oh * g.stride_h) * g.s + column - ow * g.stride_w;
                sum += lines[static_cast<std::int64_t>(tap) * g.out_plane() + oh * g.out_w + ow];
            }
        }
        dx[i] = sum;
    }
}

std::int64_t floats_of_sample(const Conv2d::Shape& s) {
    return s.c * s.r * s.s * s.out_h() * s.out_w();
}

class Im2col final : public conv2d::Rung {
  public:
    using Rung::Rung;

    // Parts of whole samples.
    static Splits splits(const Conv2d::Shape& shape) {
        const std::int64_t rows = shape.n * shape.out_h();
        const std::int64_t wanted = conv2d::splits_of(shape).rows;
        const std::int64_t of_part = (wanted + shape.out_h() - 1) / shape.out_h() * shape.out_h();
        return {.rows = of_part, .parts = (rows + of_part - 1) / of_part};
    }
    // Of dx; the matrices lie behind the parts of dweight.
    static std::int64_t workspace_bytes(const Conv2d::Shape& shape) {
        return conv2d::partial_bytes(shape, splits(shape)) +
               samples_at_once(shape) * floats_of_sample(shape) *
                   static_cast<std::int64_t>(sizeof(float));
    }

    void forward(const Conv2d::Forward& args) override {
        auto* const matrix = static_cast<float*>(args.workspace);
        for_samples([&](std::int64_t first, std::int64_t samples) {
            write(args.x, first, samples, matrix);
            conv2d::launch_products(stream_, {.rows = geometry_.group_k,
                                              .columns = positions(),
                                              .terms = depth(),
                                              .groups = groups(),
                                              .samples = samples,
                                              .samples_each = 1,
                                              .a = args.weight,
                                              .a_steps = weights(),
                                              .b = matrix,
                                              .b_steps = windows(),
                                              .c = args.y + first * shape_.k * positions(),
                                              .c_steps = outputs(),
                                              .bias = args.bias});
        });
    }

  private:
    void weight_parts(const Conv2d::Backward& args, float* partial) override {
        float* const matrix = partial + conv2d::partial_bytes(shape_, splits_) /
                                            static_cast<std::int64_t>(sizeof(float));
        const std::int64_t of_part = splits_.rows / shape_.out_h();
        for_samples([&](std::int64_t first, std::int64_t samples) {
            write(args.x, first, samples, matrix);
            const conv2d::Steps dy = outputs();
            const conv2d::Steps of_windows = windows();
            conv2d::launch_products(
                stream_, {.rows = geometry_.group_k,
                          .columns = depth(),
                          .terms = positions(),
                          .groups = groups(),
                          .samples = samples,
                          .samples_each = of_part,
                          .a = args.dy + first * shape_.k * positions(),
                          .a_steps = dy,
                          .b = matrix,
                          .b_steps = {1, of_windows.row, of_windows.sample, of_windows.group},
                          .c = partial + first / of_part * geometry_.weights,
                          .c_steps = {depth(), 1, geometry_.weights, weights().group},
                          .bias = nullptr});
        });
    }
    void input_gradient(const Conv2d::Backward& args) override {
        auto* const matrix = static_cast<float*>(args.workspace);
        for_samples([&](std::int64_t first, std::int64_t samples) {
            const conv2d::Steps weight = weights();
            conv2d::launch_products(stream_, {.rows = depth(),
                                              .columns = positions(),
                                              .terms = geometry_.group_k,
                                              .groups = groups(),
                                              .samples = samples,
                                              .samples_each = 1,
                                              .a = args.weight,
                                              .a_steps = {1, weight.row, 0, weight.group},
                                              .b = args.dy + first * shape_.k * positions(),
                                              .b_steps = outputs(),
                                              .c = matrix,
                                              .c_steps = windows(),
                                              .bias = nullptr});
            const std::int64_t of_sample = shape_.c * shape_.h * shape_.w;
            launch(on(stream_, blocks_for(samples * of_sample, threads), threads), sum_windows,
                   geometry_, samples, matrix, args.dx + first * of_sample);
        });
    }

    int positions() const { return geometry_.out_h * geometry_.out_w; }
    int depth() const { return geometry_.group_c * geometry_.r * geometry_.s; }
    int groups() const { return geometry_.c / geometry_.group_c; }
    // How the matrices lie in memory.
    conv2d::Steps weights() const {
        return {depth(), 1, 0, std::int64_t{geometry_.group_k} * depth()};
    }
    conv2d::Steps outputs() const {
        return {positions(), 1, shape_.k * positions(),
                std::int64_t{geometry_.group_k} * positions()};
    }
    conv2d::Steps windows() const {
        return {positions(), 1, floats_of_sample(shape_), std::int64_t{depth()} * positions()};
    }

    // As many as the workspace is for, but whole parts of dweight.
    static std::int64_t samples_at_once(const Conv2d::Shape& shape) {
        const std::int64_t of_part = splits(shape).rows / shape.out_h();
        const std::int64_t wanted = conv2d::workspace_floats / floats_of_sample(shape);
        return std::min(shape.n, std::max(wanted / of_part, std::int64_t{1}) * of_part);
    }
    template <class Body>
    void for_samples(const Body& body) const {
        const std::int64_t at_once = samples_at_once(shape_);
        for (std::int64_t first = 0; first < shape_.n; first += at_once) {
            body(first, std::min(at_once, shape_.n - first));
        }
    }
    void write(const float* x, std::int64_t first, std::int64_t samples, float* matrix) const {
        launch(on(stream_, blocks_for(samples * floats_of_sample(shape_), threads), threads),
               write_windows, geometry_, samples, x + first * shape_.c * shape_.h * shape_.w,
               matrix);
    }
};

const Registered<Conv2d> registered{
    device_kind,
    conv2d::variant<Im2col>(
        "im2col", "Windows written out as a matrix, then a product of matrices for each sample.",
        15)};

}  // namespace
}  // namespace trainscope::cuda
