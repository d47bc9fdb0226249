// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `im2col`: the windows of a sample become the columns of a matrix that is written out,
// and the passes become plain products of matrices, a sample each. It is the usual way, shown to be
// compared: beside `implicit_gemm` it writes and reads N * OH * OW * C * R * S values more, in a
// workspace of some samples at a time, and a small plane leaves most of a tile empty; in return
// the product's loads need no indices. Bound by device memory with few filters. Refuses nothing.
#include "engine/cuda/conv2d/products.h"
#include "engine/cuda/conv2d/rung.h"
#include "engine/cuda/conv2d/windows.h"

namespace trainscope::cuda {
namespace {

using conv2d::Splits;

class Im2col final : public conv2d::Rung {
  public:
    using Rung::Rung;

    static Splits splits(const Conv2d::Shape& shape) { return conv2d::splits_of_samples(shape); }
    // Of dx; the matrices lie behind the parts of dweight.
    static std::int64_t workspace_bytes(const Conv2d::Shape& shape) {
        return conv2d::partial_bytes(shape, splits(shape)) +
               conv2d::samples_at_once(shape) * conv2d::windows_of_sample(shape) *
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
            conv2d::sum_windows(stream_, geometry_, samples, matrix, args.dx + first * of_sample);
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
        return {positions(), 1, conv2d::windows_of_sample(shape_),
                std::int64_t{depth()} * positions()};
    }

    template <class Body>
    void for_samples(const Body& body) const {
        const std::int64_t at_once = conv2d::samples_at_once(shape_);
        for (std::int64_t first = 0; first < shape_.n; first += at_once) {
            body(first, std::min(at_once, shape_.n - first));
        }
    }
    void write(const float* x, std::int64_t first, std::int64_t samples, float* matrix) const {
        conv2d::write_windows(stream_, geometry_, samples,
                              x + first * shape_.c * shape_.h * shape_.w, matrix);
    }
};

const Registered<Conv2d> registered{
    device_kind,
    conv2d::variant<Im2col>(
        "im2col", "Windows written out as a matrix, then a product of matrices for each sample.",
        15)};

}  // namespace
}  // namespace trainscope::cuda
