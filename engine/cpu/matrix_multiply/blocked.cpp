// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix product `blocked`: the tiles in registers and blocks of the depth of engine/cpu/gemm.h.
// Over `naive` it adds that a value is used for a whole tile once it is in a register. Panels of
// rows of A go to threads, which pack them; columns are padded to whole vectors.
// Bound by multiplications, for wide B by reading it again for each panel. Refuses nothing.
#include <algorithm>

#include "engine/cpu/gemm.h"
#include "engine/cpu/parallel.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/matrix_multiply.h"
#include "engine/ops/workspace_pieces.h"

namespace trainscope::cpu {
namespace {

struct Workspace {
    Workspace(const MatrixMultiply::Shape& s, void* memory) : pieces(memory) {
        a = pieces.take<float>(packed_floats(s.m, s.k));
        if (const std::int64_t whole = round_up(s.n, tile_columns); whole != s.n) {
            b = pieces.take<float>(s.k * whole);
            c = pieces.take<float>(s.m * whole);
        }
    }
    WorkspacePieces pieces;
    float* a;
    float *b = nullptr, *c = nullptr;  // with padded columns
};

class Blocked final : public MatrixMultiply::Kernel {
  public:
    Blocked(const MatrixMultiply::Shape& shape, const KernelContext& context)
        : shape_(shape), threads_(context.threads) {}

    void run(const MatrixMultiply::Args& args) override {
        const Workspace own(shape_, args.workspace);
        const auto [m, n, k] = shape_;
        const std::int64_t whole = round_up(n, tile_columns);
        if (whole != n) {
            parallel_for(threads_, k, [&, columns = n](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                    float* const to = own.b + row * whole;
                    std::copy_n(args.b + row * columns, columns, to);
                    std::fill_n(to + columns, whole - columns, 0.0F);
                }
            });
        }
        const std::int64_t panels = (m + tile_rows - 1) / tile_rows;
        parallel_for(threads_, panels, [&](std::int64_t begin, std::int64_t end) {
            const std::int64_t first = begin * tile_rows;
            multiply_rows(args, own, first, std::min(end * tile_rows, shape_.m) - first);
        });
    }

  private:
    void multiply_rows(const MatrixMultiply::Args& args, const Workspace& own, std::int64_t first,
                       std::int64_t rows) const {
        const std::int64_t n = shape_.n;
        const std::int64_t k = shape_.k;
        const std::int64_t whole = round_up(n, tile_columns);
        const bool padded = whole != n;
        float* const packed = own.a + first * k;
        pack(
            rows, k,
            [a = args.a + first * k, k](std::int64_t row, std::int64_t depth) {
                return a[row * k + depth];
            },
            packed);
        const float* const b = padded ? own.b : args.b;
        float* const c = (padded ? own.c : args.c) + first * whole;
        multiply(
            rows, k, n, PackedRows{packed, k},
            [b, whole](std::int64_t depth) { return b + depth * whole; }, EvenRows{c, whole},
            false);
        for (std::int64_t row = 0; padded && row < rows; ++row) {
            std::copy_n(c + row * whole, n, args.c + (first + row) * n);
        }
    }

    MatrixMultiply::Shape shape_;
    int threads_;
};

const Registered<MatrixMultiply> registered{
    DeviceKind::cpu,
    {.name = "blocked",
     .description = "Tiles in registers, blocks of the depth in the cache.",
     .preference = 10,
     .refuses = [](const MatrixMultiply::Shape&) { return std::nullopt; },
     .workspace_bytes =
         [](const MatrixMultiply::Shape& shape, const KernelContext&) {
             return Workspace(shape, nullptr).pieces.bytes();
         },
     .make = [](const MatrixMultiply::Shape& shape,
                const KernelContext& context) -> std::unique_ptr<MatrixMultiply::Kernel> {
         return std::make_unique<Blocked>(shape, context);
     }}};

}  // namespace
}  // namespace trainscope::cpu
