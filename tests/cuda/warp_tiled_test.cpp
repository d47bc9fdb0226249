// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix product `warp_tiled` in fewer blocks than it has tiles and parts of the depth: what a
// block is at lies in shared memory, and must not change while a thread still needs it.
#include "engine/cuda/gemm/warp_tiled.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

namespace gemm = cuda::gemm;
using Floats = std::vector<float>;
constexpr std::int64_t rows = 130;  // 2 x 2 tiles, three of them hardly filled
constexpr std::int64_t columns = 132;
constexpr std::int64_t depth = 560;
// The first part ends where the second, which has 48, is not yet done.
constexpr gemm::Parts parts{.count = 2, .depth = cuda::terms_of_sum};

// A factor of this file, so that the kernel is one too and takes no other's place.
struct Lines : gemm::AlongDepth {};
Lines lines_of(const DeviceArray<float>& values, std::int64_t lines) {
    return {gemm::along_depth(values.data(), lines, depth)};
}

double sum_of(const Floats& a, const Floats& b, std::int64_t row, std::int64_t column,
              std::int64_t part) {
    double sum = 0;
    for (std::int64_t k = part * parts.depth; k < std::min((part + 1) * parts.depth, depth); ++k) {
        sum += static_cast<double>(a[static_cast<std::size_t>(row * depth + k)]) *
               static_cast<double>(b[static_cast<std::size_t>(column * depth + k)]);
    }
    return sum;
}

class FewBlocksTest : public ::testing::TestWithParam<std::uint64_t> {
  protected:
    ~FewBlocksTest() override { reset_emulated_device(); }
};

TEST_P(FewBlocksTest, DoOneTileAndPartOfTheDepthAfterAnother) {
    emulation::set_order_seed(GetParam());
    const Floats a = seeded_floats(rows * depth, 1, 0);
    const Floats b = seeded_floats(columns * depth, 1, 1);
    const DeviceArray<float> on_device_a(a);
    const DeviceArray<float> on_device_b(b);
    DeviceArray<float> sums(static_cast<std::size_t>(parts.count * rows * columns));

    cuda::launch(cuda::on(nullptr, 3, gemm::WarpTiled::threads),
                 gemm::warp_tiled<Lines, Lines, gemm::PartRows>, lines_of(on_device_a, rows),
                 lines_of(on_device_b, columns), gemm::part_rows(sums.data(), rows, columns),
                 parts);

    EXPECT_THAT(emulation::take_faults(), ::testing::IsEmpty());
    const Floats got = sums.values();
    std::size_t i = 0;
    for (std::int64_t part = 0; part < parts.count; ++part) {
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column, ++i) {
                ASSERT_NEAR(static_cast<double>(got[i]), sum_of(a, b, row, column, part), 1e-3)
                    << row << ", " << column << " of part " << part;
            }
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Orders, FewBlocksTest, ::testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace trainscope::testing
