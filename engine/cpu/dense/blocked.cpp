// SPDX-License-Identifier: GPL-3.0-or-later
// Fully connected `blocked`: blocks of samples and outputs share each load in registers, and the
// inputs are cut into pieces whose weights stay in the first cache while all samples pass. Good for
// few outputs, where a general matrix product spends its time on packing. Bound by loads; by memory
// for large weights and few samples. Refuses nothing. Forward and dx are parallel over samples,
// dweight over inputs, so that no sums need merging.
// As dense_relu it cuts off at zero where it writes y, which saves ReLU a read and a write of it.
#include <algorithm>
#include <cassert>

#include "engine/cpu/parallel.h"
#include "engine/cpu/vector.h"
#include "engine/ops/dense.h"
#include "engine/ops/dense_relu_kernel.h"
#include "engine/ops/kernel_variant.h"

namespace trainscope::cpu {
namespace {

constexpr int sample_block = 4;
constexpr int output_block = vector_lanes == 16 ? 5 : 3;  // forward: their product is held
constexpr int gradient_block = 5;                         // outputs of dweight held at a time
constexpr int gradient_vectors = 2;                       // inputs of dx and dweight, the same
// Threads part dweight's inputs at whole steps: no two write to a cache line, and an input's sum is
// one of vectors or one of the scalars at the end whatever their number. The compiler may round the
// two differently (a scalar product and sum as two instructions, of vectors as one).
constexpr std::int64_t gradient_step = std::max(vector_lanes * gradient_vectors, 16);
constexpr std::int64_t piece = 512;  // inputs that pass together
constexpr std::int64_t panel = 64;   // outputs that pass together in forward

// A piece of several rows, copied together. Rows that lie a power of two apart would otherwise fall
// into the same few sets of the cache and push each other out.
class PackedPiece {
  public:
    static constexpr std::int64_t max_rows = 16;
    static constexpr std::int64_t max_count = 256;
    static constexpr std::int64_t stride = max_count + 16;

    // Not zeroed: these are 17 KiB, and only what pack() wrote is read.
    PackedPiece() {}  // NOLINT(cppcoreguidelines-pro-type-member-init)

    const float* pack(const float* from, std::int64_t from_stride, std::int64_t rows,
                      std::int64_t count) {
        for (std::int64_t row = 0; row < rows; ++row) {
            std::copy_n(from + row * from_stride, count, floats_ + row * stride);
        }
        return floats_;
    }

  private:
    alignas(64) float floats_[max_rows * stride];
};

// sums[a][b] += x[a] . w[b] over whole vectors of [0, count); the rest is left to the caller.
template <int Samples, int Outputs>
void add_products(const float* x, const float* w, std::int64_t in, std::int64_t count,
                  FloatVector* sums, std::int64_t sums_stride) {
    FloatVector held[Samples][Outputs];
    for (int a = 0; a < Samples; ++a) {
        for (int b = 0; b < Outputs; ++b) {
            held[a][b] = sums[a * sums_stride + b];
        }
    }
    for (std::int64_t i = 0; i + vector_lanes <= count; i += vector_lanes) {
        FloatVector weights[Outputs];
        for (int b = 0; b < Outputs; ++b) {
            weights[b] = load_once(w + b * in + i);
        }
        for (int a = 0; a < Samples; ++a) {
            const FloatVector value = load(x + a * in + i);
            for (int b = 0; b < Outputs; ++b) {
                held[a][b] += value * weights[b];
            }
        }
    }
    for (int a = 0; a < Samples; ++a) {
        for (int b = 0; b < Outputs; ++b) {
            sums[a * sums_stride + b] = held[a][b];
        }
    }
}

// dx[a][i] (+)= sum over outputs of dy[a][o] * w[o][i], for i in [0, count); w is packed.
template <int Samples>
void dx_piece(const float* dy, std::int64_t out, const float* w, std::int64_t in,
              std::int64_t outputs, std::int64_t count, bool add, float* dx) {
    constexpr int vectors = gradient_vectors;
    std::int64_t i = 0;
    for (; i + vectors * vector_lanes <= count; i += vectors * vector_lanes) {
        FloatVector sums[Samples][vectors] = {};
        for (std::int64_t o = 0; o < outputs; ++o) {
            FloatVector weights[vectors];
            for (int v = 0; v < vectors; ++v) {
                weights[v] = load_once(w + o * PackedPiece::stride + i + v * vector_lanes);
            }
            for (int a = 0; a < Samples; ++a) {
                const FloatVector gradient = broadcast(dy[a * out + o]);
                for (int v = 0; v < vectors; ++v) {
                    sums[a][v] += gradient * weights[v];
                }
            }
        }
        for (int a = 0; a < Samples; ++a) {
            for (int v = 0; v < vectors; ++v) {
                float* to = dx + a * in + i + v * vector_lanes;
                store(to, add ? load(to) + sums[a][v] : sums[a][v]);
            }
        }
    }
    for (; i < count; ++i) {
        for (int a = 0; a < Samples; ++a) {
            float sum = add ? dx[a * in + i] : 0.0F;
            for (std::int64_t o = 0; o < outputs; ++o) {
                sum += dy[a * out + o] * w[o * PackedPiece::stride + i];
            }
            dx[a * in + i] = sum;
        }
    }
}

// dweight[b][i] += sum over samples of dy[a][b] * x[a][i], for i in [0, count); x is packed.
template <int Outputs>
void dweight_piece(const float* dy, std::int64_t out, const float* x, std::int64_t in,
                   std::int64_t samples, std::int64_t count, float* dweight) {
    constexpr int vectors = gradient_vectors;
    std::int64_t i = 0;
    for (; i + vectors * vector_lanes <= count; i += vectors * vector_lanes) {
        FloatVector sums[Outputs][vectors];
        for (int b = 0; b < Outputs; ++b) {
            for (int v = 0; v < vectors; ++v) {
                sums[b][v] = load(dweight + b * in + i + v * vector_lanes);
            }
        }
        for (std::int64_t a = 0; a < samples; ++a) {
            FloatVector values[vectors];
            for (int v = 0; v < vectors; ++v) {
                values[v] = load_once(x + a * PackedPiece::stride + i + v * vector_lanes);
            }
            for (int b = 0; b < Outputs; ++b) {
                const FloatVector gradient = broadcast(dy[a * out + b]);
                for (int v = 0; v < vectors; ++v) {
                    sums[b][v] += gradient * values[v];
                }
            }
        }
        for (int b = 0; b < Outputs; ++b) {
            for (int v = 0; v < vectors; ++v) {
                store(dweight + b * in + i + v * vector_lanes, sums[b][v]);
            }
        }
    }
    for (; i < count; ++i) {
        for (int b = 0; b < Outputs; ++b) {
            float sum = dweight[b * in + i];
            for (std::int64_t a = 0; a < samples; ++a) {
                sum += dy[a * out + b] * x[a * PackedPiece::stride + i];
            }
            dweight[b * in + i] = sum;
        }
    }
}

// Calls body<Block>(begin) or, for the rest, body<1>(begin) so that [0, count) is covered.
template <int Block, class Body>
void for_each_block(std::int64_t count, const Body& body) {
    std::int64_t i = 0;
    for (; i + Block <= count; i += Block) {
        body.template operator()<Block>(i);
    }
    for (; i < count; ++i) {
        body.template operator()<1>(i);
    }
}

class Blocked final : public Dense::Kernel {
  public:
    Blocked(const Dense::Shape& shape, const KernelContext& context, bool relu)
        : shape_(shape), threads_(context.threads), relu_(relu) {}

    void forward(const Dense::Forward& args) override {
        parallel_for(threads_, shape_.n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t o = 0; o < shape_.out; o += panel) {
                const std::int64_t outputs = std::min(panel, shape_.out - o);
                for_each_block<sample_block>(end - begin, [&]<int Samples>(std::int64_t n) {
                    forward_block<Samples>(args, begin + n, o, outputs);
                });
            }
        });
    }

    // Both halves run in one parallel region: neither needs the other.
    void backward(const Dense::Backward& args) override {
        on_threads(threads_, [&](int index) {
            if (args.dx != nullptr) {
                const Part samples = part_of(shape_.n, index, threads_);
                if (samples.begin < samples.end) {
                    dx_part(args, samples);
                }
            }
            const Part steps =
                part_of((shape_.in + gradient_step - 1) / gradient_step, index, threads_);
            dweight_part(args, {gradient_step * steps.begin,
                                std::min(gradient_step * steps.end, shape_.in)});
            const Part outputs = part_of(shape_.out, index, threads_);
            if (args.dbias != nullptr) {
                dbias_part(args, outputs);
            }
        });
    }

  private:
    template <int Samples>
    void forward_block(const Dense::Forward& args, std::int64_t n, std::int64_t first,
                       std::int64_t outputs) const {
        const std::int64_t in = shape_.in;
        const float* x = args.x + n * in;
        const float* w = args.weight + first * in;
        FloatVector sums[Samples * panel];
        std::fill_n(sums, Samples * outputs, FloatVector{});
        for (std::int64_t i = 0; i < in; i += piece) {
            const std::int64_t count = std::min(piece, in - i);
            for_each_block<output_block>(outputs, [&]<int Outputs>(std::int64_t o) {
                add_products<Samples, Outputs>(x + i, w + o * in + i, in, count, sums + o, outputs);
            });
        }
        const std::int64_t whole = in / vector_lanes * vector_lanes;
        for (int a = 0; a < Samples; ++a) {
            for (std::int64_t o = 0; o < outputs; ++o) {
                float sum = sum_of(sums[a * outputs + o]);
                for (std::int64_t i = whole; i < in; ++i) {
                    sum += x[a * in + i] * w[o * in + i];
                }
                sum += args.bias == nullptr ? 0.0F : args.bias[first + o];
                // NaN fails the comparison and stays.
                args.y[(n + a) * shape_.out + first + o] = relu_ && sum <= 0.0F ? 0.0F : sum;
            }
        }
    }

    void dx_part(const Dense::Backward& args, Part samples) const {
        PackedPiece packed;
        for (std::int64_t i = 0; i < shape_.in; i += PackedPiece::max_count) {
            const std::int64_t count = std::min(PackedPiece::max_count, shape_.in - i);
            for (std::int64_t o = 0; o < shape_.out; o += PackedPiece::max_rows) {
                const std::int64_t outputs = std::min(PackedPiece::max_rows, shape_.out - o);
                const float* weight =
                    packed.pack(args.weight + o * shape_.in + i, shape_.in, outputs, count);
                for_each_block<sample_block>(samples.end - samples.begin, [&]<int Samples>(
                                                                              std::int64_t a) {
                    const std::int64_t n = samples.begin + a;
                    dx_piece<Samples>(args.dy + n * shape_.out + o, shape_.out, weight, shape_.in,
                                      outputs, count, o > 0, args.dx + n * shape_.in + i);
                });
            }
        }
    }

    void dweight_part(const Dense::Backward& args, Part inputs) const {
        PackedPiece packed;
        for (std::int64_t i = inputs.begin; i < inputs.end; i += PackedPiece::max_count) {
            const std::int64_t count = std::min(PackedPiece::max_count, inputs.end - i);
            for (std::int64_t o = 0; !args.accumulate && o < shape_.out; ++o) {
                std::fill_n(args.dweight + o * shape_.in + i, count, 0.0F);
            }
            for (std::int64_t n = 0; n < shape_.n; n += PackedPiece::max_rows) {
                const std::int64_t samples = std::min(PackedPiece::max_rows, shape_.n - n);
                const float* x = packed.pack(args.x + n * shape_.in + i, shape_.in, samples, count);
                for_each_block<gradient_block>(shape_.out, [&]<int Outputs>(std::int64_t o) {
                    dweight_piece<Outputs>(args.dy + n * shape_.out + o, shape_.out, x, shape_.in,
                                           samples, count, args.dweight + o * shape_.in + i);
                });
            }
        }
    }

    void dbias_part(const Dense::Backward& args, Part outputs) const {
        for (std::int64_t o = outputs.begin; o < outputs.end; ++o) {
            float sum = args.accumulate ? args.dbias[o] : 0.0F;
            for (std::int64_t n = 0; n < shape_.n; ++n) {
                sum += args.dy[n * shape_.out + o];
            }
            args.dbias[o] = sum;
        }
    }

    Dense::Shape shape_;
    int threads_;
    bool relu_;
};

const Registered<Dense> registered{
    DeviceKind::cpu,
    {.name = "blocked",
     .description = "Blocks of samples and outputs share each load; best for few outputs.",
     .preference = 20,
     .refuses = [](const Dense::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Dense::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<Dense::Kernel> {
         return std::make_unique<Blocked>(shape, context, false);
     }}};

const Registered<DenseRelu> registered_with_relu{
    DeviceKind::cpu,
    {.name = "blocked",
     .description = "Blocks of samples and outputs share each load, and are cut off at zero as "
                    "they are written.",
     // Taken by its name: what it saves was less than times vary by.
     .preference = -1,
     .refuses = [](const Dense::Shape&) { return std::nullopt; },
     .workspace_bytes = [](const Dense::Shape&, const KernelContext&) { return std::int64_t{0}; },
     .make = [](const Dense::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<DenseRelu::Kernel> {
         return make_dense_relu(DeviceKind::cpu, shape, context,
                                std::make_unique<Blocked>(shape, context, true));
     }}};

}  // namespace
}  // namespace trainscope::cpu
