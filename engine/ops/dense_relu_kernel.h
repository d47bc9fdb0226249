// SPDX-License-Identifier: GPL-3.0-or-later
// What the variants of dense_relu share on every device: the way back is ReLU's, in place, and then
// the dense layer's.
#pragma once

#include <memory>
#include <utility>

#include "engine/ops/dense_relu.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/relu.h"

namespace trainscope {

class DenseReluKernel final : public DenseRelu::Kernel {
  public:
    // `dense` cuts off at zero what its forward writes.
    DenseReluKernel(std::unique_ptr<Dense::Kernel> dense, std::unique_ptr<Relu::Kernel> relu)
        : dense_(std::move(dense)), relu_(std::move(relu)) {}

    void forward(const DenseRelu::Forward& args) override { dense_->forward(args); }
    void backward(const DenseRelu::Backward& args) override {
        relu_->backward(args.y, args.dy, args.dy);
        Dense::Backward dense = args.dense;
        dense.dy = args.dy;
        dense_->backward(dense);
    }

  private:
    std::unique_ptr<Dense::Kernel> dense_;
    std::unique_ptr<Relu::Kernel> relu_;
};

// ReLU by the variant that is preferred on the device, for which no choice can be made here.
inline std::unique_ptr<DenseRelu::Kernel> make_dense_relu(DeviceKind device,
                                                          const Dense::Shape& shape,
                                                          const KernelContext& context,
                                                          std::unique_ptr<Dense::Kernel> dense) {
    const Relu::Shape elements{shape.n * shape.out};
    const KernelVariant<Relu>* const relu = choose_variant<Relu>(device, "auto", elements).value();
    return std::make_unique<DenseReluKernel>(std::move(dense), relu->make(elements, context));
}

}  // namespace trainscope
