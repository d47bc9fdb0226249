// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax cross-entropy `warp_rows`: a warp a row, which its lanes read three times (maximum, sum,
// gradient). Each row's loss goes to the workspace and one block adds them up, so that the total
// has one order.
#include "engine/cuda/kernel.h"
#include "engine/cuda/warp.h"
#include "engine/ops/softmax_cross_entropy.h"

namespace trainscope::cuda {
namespace {

using Args = SoftmaxCrossEntropy::Args;
using Shape = SoftmaxCrossEntropy::Shape;
using Totals = SoftmaxCrossEntropy::Totals;

constexpr unsigned threads = 128;

struct Largest {
    float value;
    int index;
};

// The first of the largest values of a row, in every lane. A NaN at its start stays, as in a scan
// by >.
__device__ Largest largest_of(const float* row, int classes, int lane) {
    const int first = lane < classes ? lane : 0;
    Largest mine{row[first], first};
    for (int i = lane; i < classes; i += static_cast<int>(warp_lanes)) {
        if (row[i] > mine.value) {
            mine = {row[i], i};
        }
    }
    for (int lanes = static_cast<int>(warp_lanes) / 2; lanes > 0; lanes /= 2) {
        const float value = __shfl_xor_sync(all_lanes, mine.value, lanes);
        const int index = __shfl_xor_sync(all_lanes, mine.index, lanes);
        if (value > mine.value || (value == mine.value && index < mine.index)) {
            mine = {value, index};
        }
    }
    return mine;
}

__global__ void loss_of_rows(Shape shape, Args args, Totals* of_rows) {
    const int lane = static_cast<int>(threadIdx.x % warp_lanes);
    const std::int64_t warps = grid_threads() / warp_lanes;
    const auto classes = static_cast<int>(shape.classes);
    for (std::int64_t n = global_thread() / warp_lanes; n < shape.n; n += warps) {
        const float* const row = args.logits + n * classes;
        const float* const target = args.targets == nullptr ? nullptr : args.targets + n * classes;
        const Largest top = largest_of(row, classes, lane);
        double sum = 0;
        double weight = 0;   // sum of t
        double product = 0;  // sum of t * (z - maximum)
        for (int i = lane; i < classes; i += static_cast<int>(warp_lanes)) {
            const float shifted = row[i] - top.value;
            sum += static_cast<double>(expf(shifted));
            if (target != nullptr) {
                weight += static_cast<double>(target[i]);
                // 0 * inf is no part of a loss.
                product += target[i] == 0.0F
                               ? 0.0
                               : static_cast<double>(target[i]) * static_cast<double>(shifted);
            }
        }
        sum = warp_sum(sum);
        int wanted = target == nullptr ? args.labels[n] : 0;
        if (target == nullptr) {
            weight = 1;
            product = static_cast<double>(row[wanted] - top.value);
        } else {
            weight = warp_sum(weight);
            product = warp_sum(product);
            wanted = largest_of(target, classes, lane).index;
        }
        __syncwarp();  // dlogits may be the logits that other lanes have just read
        if (args.dlogits != nullptr) {
            const auto scale = static_cast<float>(weight / sum);
            for (int i = lane; i < classes; i += static_cast<int>(warp_lanes)) {
                const float t = target != nullptr ? target[i] : i == wanted ? 1.0F : 0.0F;
                args.dlogits[n * classes + i] = expf(row[i] - top.value) * scale - t;
            }
        }
        if (lane == 0) {
            of_rows[n] = {weight * log(sum) - product, top.index == wanted ? 1 : 0};
        }
    }
}

__global__ void add_rows(std::int64_t rows, const Totals* of_rows, Totals* totals) {
    double loss = 0;
    std::int64_t correct = 0;
    for (std::int64_t n = threadIdx.x; n < rows; n += threads) {
        loss += of_rows[n].loss_sum;
        correct += of_rows[n].correct;
    }
    loss = block_sum<double, threads>(loss);
    correct = block_sum<std::int64_t, threads>(correct);
    if (threadIdx.x == 0) {
        totals->loss_sum += loss;
        totals->correct += correct;
    }
}

class WarpRows final : public SoftmaxCrossEntropy::Kernel {
  public:
    WarpRows(const Shape& shape, cudaStream_t stream) : shape_(shape), stream_(stream) {}

    void run(const Args& args) override {
        auto* const of_rows = static_cast<Totals*>(args.workspace);
        launch(on(stream_, blocks_for(shape_.n * warp_lanes, threads), threads), loss_of_rows,
               shape_, args, of_rows);
        launch(on(stream_, 1, threads), add_rows, shape_.n, of_rows, args.totals);
    }

  private:
    Shape shape_;
    cudaStream_t stream_;
};

const Registered<SoftmaxCrossEntropy> registered{
    device_kind,
    {.name = "warp_rows",
     .description = "A warp a row; the rows' losses are added up in one order.",
     .refuses = [](const Shape&) { return std::nullopt; },
     .workspace_bytes =
         [](const Shape& shape, const KernelContext&) {
             return shape.n * static_cast<std::int64_t>(sizeof(Totals));
         },
     .make = [](const Shape& shape,
                const KernelContext& context) -> std::unique_ptr<SoftmaxCrossEntropy::Kernel> {
         return std::make_unique<WarpRows>(shape, stream_of(context));
     }}};

}  // namespace
}  // namespace trainscope::cuda
