// SPDX-License-Identifier: GPL-3.0-or-later
// Convolution `im2col_gemm`: the second rung. The windows of a sample become the columns of a
// matrix (im2col), and forward, dx and dweight become one matrix product each, in tiles that are
// held in registers: where `direct` loads and stores a sum for each multiply-add, a tile does once
// for the whole depth. Without strides the matrix is not written out, see im2col.h.
// Bound by multiply-adds with many filters and channels, by packing and the tiles' stores with few.
// Parallel over samples; each thread sums a dweight of its own, merged in the threads' order.
// Refuses nothing; with a filter or two to a group the tiles are nearly empty.
#include <algorithm>

#include "engine/cpu/conv2d/channel_sums.h"
#include "engine/cpu/conv2d/im2col.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/reduce.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

// Where everything lies in the workspace, in floats. The packed weights come first, then the
// scratch of each thread.
struct Scratch {
    std::int64_t filters;                    // of a group
    std::int64_t filter_stride;              // of a row that has a value for each filter
    std::int64_t packed, packed_transposed;  // the weights of one group
    // Of one thread.
    std::int64_t matrix;      // the sample's im2col; for dx the same again
    std::int64_t outputs;     // the group's y or dy, a row a filter
    std::int64_t transposed;  // the group's dy, a row a position
    std::int64_t dweight;     // of all groups, a row a tap and channel
    std::int64_t forward_total, backward_total;

    Scratch(const Conv2d::Shape& shape, const Im2col& im2col) {
        filters = shape.k / shape.groups;
        filter_stride = round_up(filters, vector_lanes);
        packed = lines(packed_floats(filters, im2col.depth));
        packed_transposed = lines(packed_floats(im2col.depth, filters));
        matrix = lines(im2col.floats);
        outputs = lines(round_up(filters, 4) * im2col.stride);
        transposed = lines(round_up(im2col.positions, 4) * filter_stride);
        dweight = lines(shape.groups * im2col.depth * filter_stride);
        forward_total = matrix + outputs;
        backward_total = 2 * matrix + outputs + transposed + dweight;
    }
    std::int64_t floats(const Conv2d::Shape& shape, int threads) const {
        return std::max(shape.groups * packed + threads * forward_total,
                        shape.groups * packed_transposed + threads * backward_total);
    }

  private:
    static std::int64_t lines(std::int64_t floats) { return round_up(floats, 16); }
};

int threads_for(const Conv2d::Shape& shape, const KernelContext& context) {
    return static_cast<int>(std::clamp<std::int64_t>(shape.n, 1, context.threads));
}

class Im2colGemm final : public Conv2d::Kernel {
  public:
    Im2colGemm(const Conv2d::Shape& shape, const KernelContext& context)
        : shape_(shape),
          im2col_(shape),
          scratch_(shape, im2col_),
          offsets_(im2col_.offsets()),
          threads_(threads_for(shape, context)) {}

    void forward(const Conv2d::Forward& args) override {
        auto* workspace = static_cast<float*>(args.workspace);
        pack_weights(args.weight, workspace);
        on_threads(threads_, [&](int index) {
            float* matrix =
                workspace + shape_.groups * scratch_.packed + index * scratch_.forward_total;
            float* outputs = matrix + scratch_.matrix;
            std::fill_n(matrix, scratch_.matrix, 0.0F);
            const Part part = part_of(shape_.n, index, threads_);
            for (std::int64_t n = part.begin; n < part.end; ++n) {
                for (std::int64_t g = 0; g < shape_.groups; ++g) {
                    im2col_.fill(args.x + input_planes(n, g), matrix);
                    multiply(scratch_.filters, im2col_.depth, im2col_.positions,
                             PackedRows{workspace + g * scratch_.packed, im2col_.depth},
                             ScatteredRows{matrix, offsets_.data()},
                             EvenRows{outputs, im2col_.stride}, false);
                    store_outputs(args, n, g, outputs);
                }
            }
        });
    }

    void backward(const Conv2d::Backward& args) override {
        auto* workspace = static_cast<float*>(args.workspace);
        if (args.dx != nullptr) {
            pack_transposed_weights(args.weight, workspace);
        }
        on_threads(threads_, [&](int index) { backward_part(args, index); });
        merge_weight_gradients(args);
        bias_gradient(shape_, args, threads_);
    }

  private:
    std::int64_t input_planes(std::int64_t n, std::int64_t group) const {
        return (n * shape_.c + group * im2col_.channels) * shape_.h * shape_.w;
    }
    std::int64_t output_plane(std::int64_t n, std::int64_t k) const {
        return (n * shape_.k + k) * shape_.out_h() * shape_.out_w();
    }
    // The place in the weights of filter k's value for a row of the matrix.
    std::int64_t weight_at(std::int64_t k, std::int64_t row) const {
        const std::int64_t tap = row / im2col_.channels;
        const std::int64_t c = row % im2col_.channels;
        return (k * im2col_.channels + c) * shape_.r * shape_.s + tap;
    }
    float* backward_scratch(void* workspace, int index) const {
        return static_cast<float*>(workspace) + shape_.groups * scratch_.packed_transposed +
               index * scratch_.backward_total;
    }

    // Calls body(group, first row) for each panel of a packed matrix of each group.
    template <class Body>
    void for_panels(std::int64_t rows, const Body& body) const {
        const std::int64_t panels = round_up(rows, tile_rows) / tile_rows;
        parallel_for(threads_, shape_.groups * panels, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                body(i / panels, i % panels * tile_rows);
            }
        });
    }
    void pack_weights(const float* weight, float* to) const {
        for_panels(scratch_.filters, [&](std::int64_t g, std::int64_t first) {
            const std::int64_t k = g * scratch_.filters + first;
            pack(
                std::min<std::int64_t>(tile_rows, scratch_.filters - first), im2col_.depth,
                [&](std::int64_t i, std::int64_t row) { return weight[weight_at(k + i, row)]; },
                to + g * scratch_.packed + first * im2col_.depth);
        });
    }
    void pack_transposed_weights(const float* weight, float* to) const {
        for_panels(im2col_.depth, [&](std::int64_t g, std::int64_t first) {
            pack(
                std::min<std::int64_t>(tile_rows, im2col_.depth - first), scratch_.filters,
                [&](std::int64_t i, std::int64_t k) {
                    return weight[weight_at(g * scratch_.filters + k, first + i)];
                },
                to + g * scratch_.packed_transposed + first * scratch_.filters);
        });
    }

    void store_outputs(const Conv2d::Forward& args, std::int64_t n, std::int64_t group,
                       const float* outputs) const {
        for (std::int64_t i = 0; i < scratch_.filters; ++i) {
            const std::int64_t k = group * scratch_.filters + i;
            const float bias = args.bias == nullptr ? 0.0F : args.bias[k];
            float* plane = args.y + output_plane(n, k);
            im2col_.for_output_rows([&](std::int64_t at, std::int64_t column) {
                const float* __restrict from = outputs + i * im2col_.stride + column;
                float* __restrict to = plane + at;
                for (std::int64_t x = 0; x < shape_.out_w(); ++x) {
                    to[x] = from[x] + bias;
                }
            });
        }
    }
    // Positions that are no output's stay zero.
    void load_gradients(const Conv2d::Backward& args, std::int64_t n, std::int64_t group,
                        float* outputs) const {
        for (std::int64_t i = 0; i < scratch_.filters; ++i) {
            const float* plane = args.dy + output_plane(n, group * scratch_.filters + i);
            im2col_.for_output_rows([&](std::int64_t at, std::int64_t column) {
                std::copy_n(plane + at, shape_.out_w(), outputs + i * im2col_.stride + column);
            });
        }
    }

    void backward_part(const Conv2d::Backward& args, int index) const {
        float* matrix = backward_scratch(args.workspace, index);
        float* dmatrix = matrix + scratch_.matrix;
        float* outputs = dmatrix + scratch_.matrix;
        float* transposed = outputs + scratch_.outputs;
        float* dweight = transposed + scratch_.transposed;
        std::fill_n(matrix, scratch_.backward_total, 0.0F);
        const Part part = part_of(shape_.n, index, threads_);
        for (std::int64_t n = part.begin; n < part.end; ++n) {
            for (std::int64_t g = 0; g < shape_.groups; ++g) {
                load_gradients(args, n, g, outputs);
                if (args.dx != nullptr) {
                    input_gradient(
                        static_cast<const float*>(args.workspace) + g * scratch_.packed_transposed,
                        outputs, dmatrix);
                    im2col_.sum(dmatrix, args.dx + input_planes(n, g));
                }
                im2col_.fill(args.x + input_planes(n, g), matrix);
                weight_gradient(matrix, outputs, transposed,
                                dweight + g * im2col_.depth * scratch_.filter_stride);
            }
        }
    }

    void input_gradient(const float* weights, float* outputs, float* dmatrix) const {
        const PackedRows a{weights, scratch_.filters};
        const EvenRows b{outputs, im2col_.stride};
        if (im2col_.shifted) {
            std::fill_n(dmatrix, scratch_.matrix, 0.0F);
            multiply(im2col_.depth, scratch_.filters, im2col_.positions, a, b,
                     ScatteredRows{dmatrix, offsets_.data()}, true);
        } else {
            multiply(im2col_.depth, scratch_.filters, im2col_.positions, a, b,
                     EvenRows{dmatrix, im2col_.stride}, false);
        }
    }

    // Adds the sample's part to the thread's sum, which is transposed: a row a tap and channel.
    void weight_gradient(float* matrix, float* outputs, float* transposed, float* dweight) const {
        if (scratch_.filters < few_filters) {
            for (std::int64_t row = 0; row < im2col_.depth; ++row) {
                for (std::int64_t k = 0; k < scratch_.filters; ++k) {
                    dweight[row * scratch_.filter_stride + k] +=
                        dot(matrix + offsets_[static_cast<std::size_t>(row)],
                            outputs + k * im2col_.stride, im2col_.positions);
                }
            }
            return;
        }
        transpose(outputs, im2col_.stride, scratch_.filters, im2col_.positions, transposed,
                  scratch_.filter_stride);
        multiply(im2col_.depth, im2col_.positions, scratch_.filters,
                 PlainRows<ScatteredRows>{{matrix, offsets_.data()}},
                 EvenRows{transposed, scratch_.filter_stride},
                 EvenRows{dweight, scratch_.filter_stride}, true);
    }

    void merge_weight_gradients(const Conv2d::Backward& args) const {
        const std::int64_t before = scratch_.backward_total - scratch_.dweight;
        parallel_for(threads_, shape_.k, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t k = begin; k < end; ++k) {
                const std::int64_t group = k / scratch_.filters;
                for (std::int64_t row = 0; row < im2col_.depth; ++row) {
                    const std::int64_t at = before +
                                            (group * im2col_.depth + row) * scratch_.filter_stride +
                                            k % scratch_.filters;
                    double total = 0;
                    for (int index = 0; index < threads_; ++index) {
                        total += backward_scratch(args.workspace, index)[at];
                    }
                    put(args.dweight[weight_at(k, row)], total, args.accumulate);
                }
            }
        });
    }

    static constexpr std::int64_t few_filters = 4;  // fewer leave most of a vector empty

    Conv2d::Shape shape_;
    Im2col im2col_;
    Scratch scratch_;
    std::vector<std::int64_t> offsets_;
    int threads_;
};

const Registered<Conv2d> registered{
    DeviceKind::cpu,
    {.name = "im2col_gemm",
     .description = "Matrix products over the windows, in tiles held in registers.",
     .preference = 15,
     .refuses = [](const Conv2d::Shape&) { return std::nullopt; },
     .workspace_bytes =
         [](const Conv2d::Shape& shape, const KernelContext& context) {
             return Scratch(shape, Im2col(shape)).floats(shape, threads_for(shape, context)) *
                    static_cast<std::int64_t>(sizeof(float));
         },
     .make = [](const Conv2d::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Conv2d::Kernel> {
         return std::make_unique<Im2colGemm>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
