// SPDX-License-Identifier: GPL-3.0-or-later
// Each rung of the dense layer in the emulated device's memory, where any access outside is found:
// tiles that are not full, addresses that no 128-bit access may use, NaN.
#include "engine/ops/dense.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "engine/cuda/runtime.h"
#include "engine/ops/kernel_variant.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

// A matrix that begins `offset` values behind an aligned address.
class Matrix {
  public:
    Matrix(Floats values, std::size_t offset) : offset_(offset) {
        values.insert(values.begin(), offset, 0.0F);
        array_.emplace(values);
    }
    float* data() const { return array_->data() + offset_; }
    Floats values() const {
        Floats all = array_->values();
        return {all.begin() + static_cast<std::ptrdiff_t>(offset_), all.end()};
    }

  private:
    std::size_t offset_;
    std::optional<DeviceArray<float>> array_;
};

// The product of A [rows, depth] and B [depth, columns] in float64, each matrix given by its
// strides, and how far a float32 sum may be from it.
struct Strided {
    const Floats& values;
    std::int64_t down, right;
    double at(std::int64_t row, std::int64_t column) const {
        return static_cast<double>(values[static_cast<std::size_t>(row * down + column * right)]);
    }
};

void expect_product(const char* what, const Floats& got, std::int64_t columns, std::int64_t depth,
                    const Strided& a, const Strided& b, const Floats& added, double unit) {
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::int64_t row = static_cast<std::int64_t>(i) / columns;
        const std::int64_t column = static_cast<std::int64_t>(i) % columns;
        double sum =
            added.empty() ? 0 : static_cast<double>(added[static_cast<std::size_t>(column)]);
        double size = std::abs(sum);
        for (std::int64_t k = 0; k < depth; ++k) {
            sum += a.at(row, k) * b.at(k, column);
            size += std::abs(a.at(row, k) * b.at(k, column));
        }
        ASSERT_LE(std::abs(static_cast<double>(got[i]) - sum),
                  unit * static_cast<double>(depth + 2) * size)
            << what << " at " << row << ", " << column;
    }
}

class DenseOnDeviceTest : public ::testing::TestWithParam<std::string> {
  protected:
    ~DenseOnDeviceTest() override {
        runtime_.reset();
        reset_emulated_device();
    }
    std::unique_ptr<Dense::Kernel> kernel(const Dense::Shape& shape) const {
        const KernelContext context{.threads = 1, .runtime = runtime_.get()};
        return choose_variant<Dense>(DeviceKind::emulated, GetParam(), shape)
            .value()
            ->make(shape, context);
    }
    void* workspace(const Dense::Shape& shape) {
        const KernelContext context{.threads = 1, .runtime = runtime_.get()};
        const auto* const variant =
            choose_variant<Dense>(DeviceKind::emulated, GetParam(), shape).value();
        workspace_.emplace(static_cast<std::size_t>(variant->workspace_bytes(shape, context)));
        return workspace_->data();
    }
    double unit_of_factors() const {
        return unit_roundoff(
            choose_variant<Dense>(DeviceKind::emulated, GetParam(), {}).value()->arithmetic);
    }
    static void expect_no_faults() {
        for (const emulation::Fault& fault : emulation::take_faults()) {
            ADD_FAILURE() << name_of(fault.kind) << ": " << fault.message;
        }
        EXPECT_EQ(cuda::first_error(), "");
    }
    // Every pass, with all matrices `offset` values behind an aligned address.
    void solve(const Dense::Shape& shape, std::size_t offset);

  private:
    std::unique_ptr<DeviceRuntime> runtime_ = cuda::open_device(0).value();
    std::optional<DeviceArray<std::byte>> workspace_;
};

void DenseOnDeviceTest::solve(const Dense::Shape& shape, std::size_t offset) {
    const auto [n, in, out, has_bias] = shape;
    const Floats x = seeded_floats(n * in, 21, 1);
    const Floats w = seeded_floats(out * in, 21, 2);
    const Floats bias = seeded_floats(out, 21, 3);
    const Floats dy = seeded_floats(n * out, 21, 4);
    const auto floats = [](std::int64_t count) { return Floats(static_cast<std::size_t>(count)); };
    const Matrix d_x(x, offset);
    const Matrix d_w(w, offset);
    const Matrix d_bias(bias, offset);
    const Matrix d_dy(dy, offset);
    const Matrix y(floats(n * out), offset);
    const Matrix dx(floats(n * in), offset);
    const Matrix dw(floats(out * in), offset);
    const Matrix dbias(floats(out), offset);
    const auto rung = kernel(shape);
    rung->forward({.x = d_x.data(),
                   .weight = d_w.data(),
                   .bias = d_bias.data(),
                   .y = y.data(),
                   .workspace = workspace(shape)});
    rung->backward({.x = d_x.data(),
                    .weight = d_w.data(),
                    .dy = d_dy.data(),
                    .dx = dx.data(),
                    .dweight = dw.data(),
                    .dbias = dbias.data(),
                    .accumulate = false,
                    .workspace = workspace(shape)});
    expect_no_faults();
    const double unit = unit_of_factors();
    expect_product("y", y.values(), out, in, {x, in, 1}, {w, 1, in}, bias, unit);
    expect_product("dx", dx.values(), in, out, {dy, out, 1}, {w, in, 1}, {}, unit);
    expect_product("dweight", dw.values(), in, n, {dy, 1, out}, {x, in, 1}, {}, unit);
    const Floats ones(static_cast<std::size_t>(n), 1.0F);
    expect_product("dbias", dbias.values(), out, n, {ones, 0, 1}, {dy, out, 1}, {},
                   unit_roundoff(Arithmetic::fp32));
}

// Two tiles of 128 each way, the second ones nearly empty; all rows are whole groups of four.
constexpr Dense::Shape four_tiles{.n = 130, .in = 20, .out = 132};

TEST_P(DenseOnDeviceTest, StaysInsideWithTilesThatAreNotFull) {
    solve(four_tiles, 0);
}
TEST_P(DenseOnDeviceTest, TakesAddressesOfSingleFloats) {
    solve(four_tiles, 1);
}
TEST_P(DenseOnDeviceTest, TakesRowsThatAreNoGroupsOfFour) {
    solve({.n = 9, .in = 18, .out = 131}, 0);
}
// Deep enough for parts of the depth, in all three products, the last part a short one.
TEST_P(DenseOnDeviceTest, AddsUpDeepProductsOfFewResults) {
    solve({.n = 5, .in = 300, .out = 7}, 0);
    solve({.n = 260, .in = 3, .out = 290}, 0);
}

// All terms are equal, so that their roundings add up: one sum of float32 is 2.4e-5 off, sums of
// 512 terms that are added up 4e-6. Of our own kernels: how a library adds up is its own affair,
// and OpenBLAS, which stands in for cuBLAS here, is 2.4e-5 off on some processors.
TEST_P(DenseOnDeviceTest, ADeepSumIsAsExactAsAShallowOne) {
    if (std::string_view(GetParam()).starts_with("cublas")) {
        GTEST_SKIP() << "it is a library's";
    }
    constexpr std::int64_t depth = 2500;
    const Matrix tenths(Floats(depth, 0.1F), 0);
    const Matrix ones(Floats(depth, 1.0F), 0);
    const Matrix results(Floats(depth, 0.0F), 0);
    const Matrix sum(Floats(1, 0.0F), 0);
    const double of_factors = unit_of_factors();  // 0.1 is rounded once
    const auto expect_exact = [of_factors](const char* what, const Matrix& got) {
        constexpr double exact = depth * static_cast<double>(0.1F);
        EXPECT_NEAR(static_cast<double>(got.values()[0]) / exact, 1, 1e-5 + of_factors) << what;
    };
    const Dense::Shape features{.n = 1, .in = depth, .out = 1, .bias = false};
    kernel(features)->forward({.x = tenths.data(),
                               .weight = ones.data(),
                               .bias = nullptr,
                               .y = sum.data(),
                               .workspace = workspace(features)});
    expect_exact("y", sum);
    // Without a workspace no depth is cut into parts: the sums of 512 terms are one block's.
    kernel(features)->forward({.x = tenths.data(),
                               .weight = ones.data(),
                               .bias = nullptr,
                               .y = sum.data(),
                               .workspace = nullptr});
    expect_exact("y of one block", sum);
    const Dense::Shape classes{.n = 1, .in = 1, .out = depth, .bias = false};
    kernel(classes)->backward({.x = ones.data(),
                               .weight = tenths.data(),
                               .dy = ones.data(),
                               .dx = sum.data(),
                               .dweight = results.data(),
                               .dbias = nullptr,
                               .accumulate = false,
                               .workspace = workspace(classes)});
    expect_exact("dx", sum);
    const Dense::Shape samples{.n = depth, .in = 1, .out = 1};
    const Matrix of_bias(Floats(1, 0.0F), 0);
    kernel(samples)->backward({.x = ones.data(),
                               .weight = ones.data(),
                               .dy = tenths.data(),
                               .dx = nullptr,
                               .dweight = sum.data(),
                               .dbias = of_bias.data(),
                               .accumulate = false,
                               .workspace = workspace(samples)});
    expect_exact("dweight", sum);
    expect_exact("dbias", of_bias);
    expect_no_faults();
}

TEST_P(DenseOnDeviceTest, ANaNSpoilsItsSampleAlone) {
    constexpr std::int64_t in = 12;
    constexpr std::int64_t out = 8;
    const Dense::Shape shape{.n = 3, .in = in, .out = out, .bias = false};
    Floats x(3 * in, 1.0F);
    x[in + 11] = NAN;
    const Matrix d_x(x, 0);
    const Matrix weight(Floats(out * in), 0);  // zeros: 0 * NaN is NaN all the same
    const Matrix y(Floats(3 * out, 1.0F), 0);
    kernel(shape)->forward({.x = d_x.data(),
                            .weight = weight.data(),
                            .bias = nullptr,
                            .y = y.data(),
                            .workspace = workspace(shape)});
    const Floats got = y.values();
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(std::isnan(got[i]), i / out == 1) << i;
    }
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const KernelVariant<Dense>& variant : variants_of<Dense>(DeviceKind::emulated)) {
        all.push_back(variant.name);
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(All, DenseOnDeviceTest, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace trainscope::testing
