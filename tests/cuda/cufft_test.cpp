// SPDX-License-Identifier: GPL-3.0-or-later
// Transforms by cuFFT, and what stands in for it on the emulated device: what they compute, what
// they ask of memory, and what is found wrong in calls.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "engine/cuda/fft.h"
#include "engine/cuda/runtime.h"
#include "engine/ops/conv2d.h"
#include "tests/cuda/device_array.h"
#include "tests/cuda/emulated_device.h"
#include "tests/support/numerics.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::testing {
namespace {

using cuda::PlaneTransforms;
using cuda::TransformedPlane;
using ::testing::AllOf;
using ::testing::HasSubstr;
using To = PlaneTransforms::To;

constexpr TransformedPlane plane{.height = 3, .width = 5};
constexpr std::int64_t planes = 9;

class CufftTest : public ::testing::Test {
  protected:
    ~CufftTest() override {
        runtime.reset();
        reset_emulated_device();
    }
    cuda::cudaStream_t stream() const { return cuda::stream_of({.runtime = runtime.get()}); }
    // Why the runtime does not go on.
    std::string failure() const {
        const auto status = runtime->status();
        return status ? "" : status.error().message;
    }
    // Of planes whose rows are as long as a spectrum's, what is behind their values NaN.
    static Floats random_planes() {
        Floats values = seeded_floats(planes * plane.floats(), 41, 1);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i % static_cast<std::size_t>(plane.pitch()) >=
                static_cast<std::size_t>(plane.width)) {
                values[i] = NAN;
            }
        }
        return values;
    }
    // By the definition, in the layout of a spectrum.
    static Doubles spectra_of(const Floats& values) {
        Doubles spectra;
        for (std::int64_t p = 0; p < planes; ++p) {
            for (int u = 0; u < plane.height; ++u) {
                for (int v = 0; v <= plane.width / 2; ++v) {
                    std::complex<double> sum = 0;
                    for (int h = 0; h < plane.height; ++h) {
                        for (int w = 0; w < plane.width; ++w) {
                            const double turns = static_cast<double>(u * h) / plane.height +
                                                 static_cast<double>(v * w) / plane.width;
                            const auto at = static_cast<std::size_t>(p * plane.floats() +
                                                                     h * plane.pitch() + w);
                            sum += std::polar(double{values[at]}, -2 * std::numbers::pi * turns);
                        }
                    }
                    spectra.push_back(sum.real());
                    spectra.push_back(sum.imag());
                }
            }
        }
        return spectra;
    }

    std::unique_ptr<DeviceRuntime> runtime = cuda::open_device(0).value();
};

TEST_F(CufftTest, TransformsPlanesInPlaceAndBack) {
    const std::int64_t bytes = PlaneTransforms::work_bytes(plane, planes);
    PlaneTransforms transforms(stream(), plane, bytes);
    transforms.prepare(To::spectra, planes);
    transforms.prepare(To::planes, planes);
    const Floats values = random_planes();
    const DeviceArray<float> data(values);
    const DeviceArray<std::byte> work(static_cast<std::size_t>(bytes));
    transforms.run(To::spectra, planes, data.data(), work.data());
    EXPECT_TRUE(is_close("spectra", data.values(), spectra_of(values), 1e-6));
    transforms.run(To::planes, planes, data.data(), work.data());
    EXPECT_EQ(failure(), "");
    const Floats back = data.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isnan(values[i])) {
            EXPECT_NEAR(back[i] / (plane.height * plane.width), values[i], 1e-6) << i;
        }
    }
}

// The library wants as much as all planes have; there is room for two of them.
TEST_F(CufftTest, InASmallWorkAreaFewerPlanesAreTransformedAtOnce) {
    const auto bytes = static_cast<std::size_t>(2 * plane.floats()) * sizeof(float);
    PlaneTransforms transforms(stream(), plane, static_cast<std::int64_t>(bytes));
    transforms.prepare(To::spectra, planes);
    const Floats values = random_planes();
    const DeviceArray<float> data(values);
    const DeviceArray<std::byte> work(bytes);
    transforms.run(To::spectra, planes, data.data(), work.data());
    EXPECT_EQ(failure(), "");
    EXPECT_TRUE(is_close("spectra", data.values(), spectra_of(values), 1e-6));
}

TEST_F(CufftTest, AWorkAreaTooSmallForOnePlaneIsSaid) {
    PlaneTransforms transforms(stream(), plane, 16);
    transforms.prepare(To::planes, 3);
    EXPECT_THAT(failure(), HasSubstr("cuFFT wants 72 bytes for a plane of 3 x 5 and has 16"));
}

TEST_F(CufftTest, AWorkAreaThatDoesNotHaveItsBytesIsFound) {
    const std::int64_t bytes = PlaneTransforms::work_bytes(plane, planes);
    PlaneTransforms transforms(stream(), plane, bytes);
    transforms.prepare(To::spectra, planes);
    const DeviceArray<float> data(random_planes());
    const DeviceArray<float> work(static_cast<std::size_t>(planes * plane.floats() - 1));
    transforms.run(To::spectra, planes, data.data(), work.data());
    EXPECT_THAT(failure(), AllOf(HasSubstr("engine/cuda/fft.cpp:"), HasSubstr("cufftExecR2C"),
                                 HasSubstr("CUFFT_EXEC_FAILED"),
                                 HasSubstr("cufftExecR2C writes bytes 0 to 647 of a device "
                                           "allocation, which has 644 bytes")));
}

TEST_F(CufftTest, ATransformWithoutAWorkAreaIsAFailedCall) {
    PlaneTransforms transforms(stream(), plane, PlaneTransforms::work_bytes(plane, planes));
    transforms.prepare(To::spectra, planes);
    const DeviceArray<float> data(random_planes());
    transforms.run(To::spectra, planes, data.data(), nullptr);
    EXPECT_THAT(failure(), HasSubstr("CUFFT_NO_WORKSPACE"));
}

TEST_F(CufftTest, APlanThatCannotBeMadeIsSaid) {
    emulation::report_fault(emulation::FaultKind::race, "Broken for the test.");
    PlaneTransforms transforms(stream(), plane, PlaneTransforms::work_bytes(plane, planes));
    transforms.prepare(To::spectra, planes);
    EXPECT_THAT(failure(), AllOf(HasSubstr("cufftCreate"), HasSubstr("CUFFT_SETUP_FAILED")));
}

TEST_F(CufftTest, WithoutMemoryForAPlansTablesThereIsNoPlanAndNoFailedDevice) {
    const std::int64_t before = emulation::device_memory().allocations;
    PlaneTransforms transforms(stream(), plane, PlaneTransforms::work_bytes(plane, planes));
    emulation::fail_device_allocation(0);  // the next one
    EXPECT_THROW(transforms.prepare(To::spectra, planes), std::bad_alloc);
    EXPECT_EQ(failure(), "");
    EXPECT_EQ(emulation::device_memory().allocations, before);
}

TEST_F(CufftTest, SizesHaveSmallPrimeFactorsOnly) {
    EXPECT_EQ(cuda::transform_size(1), 1);
    EXPECT_EQ(cuda::transform_size(11), 12);
    EXPECT_EQ(cuda::transform_size(29), 30);
    EXPECT_EQ(cuda::transform_size(49), 49);
    EXPECT_EQ(cuda::transform_size(227), 240);
}

// What is made beforehand is all that a step takes.
TEST_F(CufftTest, AStepAllocatesNoDeviceMemory) {
    const Conv2d::Shape shape{.n = 3, .c = 2, .h = 6, .w = 5, .k = 4, .r = 5, .s = 3, .pad_h = 2};
    const auto* const variant = choose_variant<Conv2d>(DeviceKind::emulated, "fft", shape).value();
    const KernelContext context{.runtime = runtime.get()};
    const auto zeros = [](std::int64_t count) {
        return Floats(static_cast<std::size_t>(count), 0.0F);
    };
    const DeviceArray<float> x(zeros(shape.input_elements()));
    const DeviceArray<float> weight(zeros(shape.weight_elements()));
    const DeviceArray<float> bias(zeros(shape.k));
    const DeviceArray<float> y(zeros(shape.output_elements()));
    const DeviceArray<std::byte> workspace(
        static_cast<std::size_t>(variant->workspace_bytes(shape, context)));
    const auto kernel = variant->make(shape, context);
    emulation::fail_device_allocation(0);  // the next one
    kernel->forward({.x = x.data(),
                     .weight = weight.data(),
                     .bias = bias.data(),
                     .y = y.data(),
                     .workspace = workspace.data()});
    kernel->backward({.x = x.data(),
                      .weight = weight.data(),
                      .dy = y.data(),
                      .dx = x.data(),
                      .dweight = weight.data(),
                      .dbias = bias.data(),
                      .accumulate = true,
                      .workspace = workspace.data()});
    EXPECT_THAT(y.values(), ::testing::Each(0.0F));
    emulation::fail_device_allocation(std::nullopt);
    EXPECT_EQ(failure(), "");
}

}  // namespace
}  // namespace trainscope::testing
