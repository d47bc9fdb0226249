// SPDX-License-Identifier: GPL-3.0-or-later
// What the rungs of convolution share: the kernel object, which leaves three passes to each rung,
// and how a rung is registered.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/cuda/conv2d/sums.h"

namespace trainscope::cuda::conv2d {

// What a rung may write out at a time, in floats: as many samples as this has room for, but at
// least one. On the emulated device so little that tests meet convolutions that need several
// rounds.
inline constexpr std::int64_t workspace_floats = std::int64_t{1}
                                                 << (device_kind == DeviceKind::emulated ? 14 : 24);

class Rung : public Conv2d::Kernel {
  public:
    Rung(const Conv2d::Shape& shape, const KernelContext& context, const Splits& splits)
        : shape_(shape),
          geometry_(geometry_of(shape)),
          splits_(splits),
          stream_(stream_of(context)) {}

    // What a rung says of itself; it has functions of the same names where it differs.
    static std::optional<std::string> refuses(const Conv2d::Shape&) { return std::nullopt; }
    static Splits splits(const Conv2d::Shape& shape) { return splits_of(shape); }
    // Beside the parts of dweight, whose place may be used again for dx.
    static std::int64_t workspace_bytes(const Conv2d::Shape&) { return 0; }

    void backward(const Conv2d::Backward& args) final {
        auto* const partial = static_cast<float*>(args.workspace);
        weight_parts(args, partial);
        finish_gradients(stream_, geometry_, splits_, args, partial);
        if (args.dx != nullptr) {
            input_gradient(args);
        }
    }

  protected:
    // Fills partial [parts, weights] with the parts of dweight, which `splits_` tells.
    virtual void weight_parts(const Conv2d::Backward& args, float* partial) = 0;
    // Runs last, so that it may use the workspace from its start.
    virtual void input_gradient(const Conv2d::Backward& args) = 0;

    Conv2d::Shape shape_;
    Geometry geometry_;
    Splits splits_;
    cudaStream_t stream_;
};

// `Made` is a Rung.
template <class Made>
KernelVariant<Conv2d> variant(std::string name, std::string description, int preference) {
    return {.name = std::move(name),
            .description = std::move(description),
            .preference = preference,
            .refuses = [](const Conv2d::Shape& shape) -> std::optional<std::string> {
                if (auto reason = too_large(shape)) {
                    return reason;
                }
                return Made::refuses(shape);
            },
            .workspace_bytes =
                [](const Conv2d::Shape& shape, const KernelContext&) {
                    return std::max(partial_bytes(shape, Made::splits(shape)),
                                    Made::workspace_bytes(shape));
                },
            .make = [](const Conv2d::Shape& shape,
                       const KernelContext& context) -> std::unique_ptr<Conv2d::Kernel> {
                return std::make_unique<Made>(shape, context, Made::splits(shape));
            }};
}

}  // namespace trainscope::cuda::conv2d
