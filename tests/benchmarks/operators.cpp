// SPDX-License-Identifier: GPL-3.0-or-later
// Every variant of the operators that take the time, forward and backward, on the layers of the
// presets at batch 32.
// Names are operator/variant/pass/shape; --threads=N, and Google Benchmark's own options.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/graph.h"
#include "engine/model/model_spec.h"
#include "engine/model/node_shapes.h"
#include "engine/ops/conv_relu_pool.h"
#include "engine/ops/kernel_variant.h"
#include "tests/benchmarks/run_benchmarks.h"
#include "tests/benchmarks/training.h"
#include "tests/support/seeded_floats.h"

namespace trainscope::benchmarks {
namespace {

constexpr std::int64_t batch = 32;

std::vector<float> random_floats(std::int64_t count) {
    return testing::seeded_floats(count, 1, static_cast<std::uint64_t>(count));
}

// A kernel with tensors of its own, and its passes as functions without arguments.
struct Bench {
    std::function<void()> forward, backward;
    double macs = 0;   // of the forward pass
    double bytes = 0;  // that the forward pass must read and write
};

template <class Op>
struct Prepared {
    std::unique_ptr<typename Op::Kernel> kernel;
    std::vector<std::byte> workspace;
};

template <class Op>
std::shared_ptr<Prepared<Op>> prepare(const KernelVariant<Op>& variant,
                                      const typename Op::Shape& shape, int threads) {
    const KernelContext context{.threads = threads};
    auto prepared = std::make_shared<Prepared<Op>>();
    prepared->kernel = variant.make(shape, context);
    prepared->workspace.resize(static_cast<std::size_t>(variant.workspace_bytes(shape, context)) +
                               64);
    return prepared;
}

template <class Op>
void* workspace_of(Prepared<Op>& prepared) {
    const auto address = reinterpret_cast<std::uintptr_t>(prepared.workspace.data());
    return reinterpret_cast<void*>((address + 63) / 64 * 64);
}

// Convolution and dense layer, which take and give the same tensors.
template <class Op>
Bench make_weighted_bench(const KernelVariant<Op>& variant, const typename Op::Shape& s,
                          int threads, std::int64_t inputs, std::int64_t weights,
                          std::int64_t biases, std::int64_t outputs, double bytes) {
    struct Tensors {
        std::vector<float> x, w, b, y, dx, dw, db;
    };
    auto t = std::make_shared<Tensors>(Tensors{random_floats(inputs), random_floats(weights),
                                               random_floats(biases), random_floats(outputs),
                                               random_floats(inputs), random_floats(weights),
                                               random_floats(biases)});
    auto p = prepare(variant, s, threads);
    float* bias = s.bias ? t->b.data() : nullptr;
    return {[=] {
                p->kernel->forward({.x = t->x.data(),
                                    .weight = t->w.data(),
                                    .bias = bias,
                                    .y = t->y.data(),
                                    .workspace = workspace_of(*p)});
            },
            [=] {
                p->kernel->backward({.x = t->x.data(),
                                     .weight = t->w.data(),
                                     .dy = t->y.data(),
                                     .dx = t->dx.data(),
                                     .dweight = t->dw.data(),
                                     .dbias = bias == nullptr ? nullptr : t->db.data(),
                                     .accumulate = false,
                                     .workspace = workspace_of(*p)});
            },
            static_cast<double>(s.macs()), bytes};
}

Bench make_bench(const KernelVariant<Conv2d>& variant, const Conv2d::Shape& s, int threads) {
    return make_weighted_bench(variant, s, threads, s.input_elements(), s.weight_elements(), s.k,
                               s.output_elements(),
                               4.0 * static_cast<double>(s.input_elements() + s.output_elements()));
}

Bench make_bench(const KernelVariant<Dense>& variant, const Dense::Shape& s, int threads) {
    return make_weighted_bench(variant, s, threads, s.n * s.in, s.in * s.out, s.out, s.n * s.out,
                               4.0 * static_cast<double>(s.n * s.in + s.in * s.out + s.n * s.out));
}

Bench make_bench(const KernelVariant<BatchNorm>& variant, const BatchNorm::Shape& s, int threads) {
    struct Tensors {
        std::vector<float> x, y, dx, gamma, beta, mean, var, saved_mean, saved_invstd, dgamma,
            dbeta;
    };
    auto t = std::make_shared<Tensors>(Tensors{
        random_floats(s.elements()), random_floats(s.elements()), random_floats(s.elements()),
        random_floats(s.c), random_floats(s.c), random_floats(s.c), random_floats(s.c),
        random_floats(s.c), random_floats(s.c), random_floats(s.c), random_floats(s.c)});
    auto p = prepare(variant, s, threads);
    return {[=] {
                p->kernel->forward({.x = t->x.data(),
                                    .gamma = t->gamma.data(),
                                    .beta = t->beta.data(),
                                    .y = t->y.data(),
                                    .running_mean = t->mean.data(),
                                    .running_var = t->var.data(),
                                    .saved_mean = t->saved_mean.data(),
                                    .saved_invstd = t->saved_invstd.data(),
                                    .workspace = workspace_of(*p)});
            },
            [=] {
                p->kernel->backward({.x = t->x.data(),
                                     .gamma = t->gamma.data(),
                                     .saved_mean = t->saved_mean.data(),
                                     .saved_invstd = t->saved_invstd.data(),
                                     .dy = t->y.data(),
                                     .dx = t->dx.data(),
                                     .dgamma = t->dgamma.data(),
                                     .dbeta = t->dbeta.data(),
                                     .accumulate = false,
                                     .workspace = workspace_of(*p)});
            },
            0, 8.0 * static_cast<double>(s.elements())};
}

Bench make_bench(const KernelVariant<MaxPool2d>& variant, const MaxPool2d::Shape& s, int threads) {
    struct Tensors {
        std::vector<float> x, y;
        std::vector<std::uint8_t> index;
    };
    auto t = std::make_shared<Tensors>(
        Tensors{random_floats(s.input_elements()), random_floats(s.output_elements()),
                std::vector<std::uint8_t>(static_cast<std::size_t>(s.output_elements()))});
    auto p = prepare(variant, s, threads);
    return {[=] { p->kernel->forward(t->x.data(), t->y.data(), t->index.data()); },
            [=] { p->kernel->backward(t->y.data(), t->index.data(), t->x.data()); }, 0,
            4.0 * static_cast<double>(s.input_elements() + s.output_elements())};
}

Bench make_bench(const KernelVariant<ConvReluPool>& variant, const ConvReluPool::Shape& s,
                 int threads) {
    struct Tensors {
        std::vector<float> x, w, b, y, dy, dx, dw, db;
        std::vector<std::uint8_t> index;
    };
    const std::int64_t out = s.pool.output_elements();
    auto t = std::make_shared<Tensors>(
        Tensors{random_floats(s.conv.input_elements()), random_floats(s.conv.weight_elements()),
                random_floats(s.conv.k), random_floats(out), random_floats(out),
                random_floats(s.conv.input_elements()), random_floats(s.conv.weight_elements()),
                random_floats(s.conv.k), std::vector<std::uint8_t>(static_cast<std::size_t>(out))});
    auto p = prepare(variant, s, threads);
    const bool first_layer = s.conv.c <= 3;  // whose input needs no gradient
    float* bias = s.conv.bias ? t->b.data() : nullptr;
    return {[=] {
                p->kernel->forward({.x = t->x.data(),
                                    .weight = t->w.data(),
                                    .bias = bias,
                                    .y = t->y.data(),
                                    .index = t->index.data(),
                                    .workspace = workspace_of(*p)});
            },
            [=] {
                p->kernel->backward({.x = t->x.data(),
                                     .weight = t->w.data(),
                                     .index = t->index.data(),
                                     .dy = t->dy.data(),
                                     .dx = first_layer ? nullptr : t->dx.data(),
                                     .dweight = t->dw.data(),
                                     .dbias = bias == nullptr ? nullptr : t->db.data(),
                                     .accumulate = false,
                                     .workspace = workspace_of(*p)});
            },
            static_cast<double>(s.conv.macs()),
            4.0 * static_cast<double>(s.conv.input_elements() + out)};
}

void run_pass(::benchmark::State& state, const std::function<void()>& pass, double macs,
              double bytes) {
    pass();
    for ([[maybe_unused]] auto step : state) {
        pass();
    }
    using Counter = ::benchmark::Counter;
    if (macs > 0) {
        state.counters["FLOP/s"] =
            Counter(2 * macs, Counter::kIsIterationInvariantRate, Counter::kIs1000);
    } else {
        state.counters["bytes/s"] =
            Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
    }
}

template <class Op>
void register_op(const typename Op::Shape& shape, const std::string& shape_name, int threads) {
    for (const KernelVariant<Op>& variant : variants_of<Op>(DeviceKind::cpu)) {
        if (variant.refuses(shape) || variant.name == "separate") {
            continue;
        }
        // Made when it runs, so that a filter does not pay for what it leaves out.
        for (const bool forward : {true, false}) {
            const std::string name = fmt::format("{}/{}/{}/{}", Op::name, variant.name,
                                                 forward ? "forward" : "backward", shape_name);
            ::benchmark::RegisterBenchmark(
                name.c_str(),
                [&variant, shape, threads, forward](::benchmark::State& state) {
                    const Bench bench = make_bench(variant, shape, threads);
                    // Backward of a layer with weights does twice the forward pass's work.
                    run_pass(state, forward ? bench.forward : bench.backward,
                             forward ? bench.macs : 2 * bench.macs,
                             forward ? bench.bytes : 2 * bench.bytes);
                })
                ->UseRealTime()
                ->Unit(::benchmark::kMicrosecond);
        }
    }
}

void register_all(int threads) {
    std::vector<std::string> seen;
    for (const ModelSpec& spec : model_presets()) {
        for (const Shape& input : {Shape{1, 28, 28}, Shape{3, 32, 32}}) {
            const auto graph = build_graph(spec, input, 10);
            for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
                const Node& node = graph->nodes[i];
                const std::string shape = fmt::format(
                    "{}x{}", node.input.with_batch(batch).to_string(), node.output.to_string());
                if (std::find(seen.begin(), seen.end(), node.type + shape) != seen.end()) {
                    continue;
                }
                seen.push_back(node.type + shape);
                if (node.type == "conv2d") {
                    if (graph->nodes[i + 1].type == "relu" &&
                        graph->nodes[i + 2].type == "max_pool") {
                        register_op<ConvReluPool>(
                            {.conv = conv2d_shape(node, batch),
                             .pool = max_pool2d_shape(graph->nodes[i + 2], batch)},
                            shape, threads);
                    }
                    register_op<Conv2d>(conv2d_shape(node, batch), shape, threads);
                } else if (node.type == "batch_norm") {
                    register_op<BatchNorm>(batch_norm_shape(node, batch), shape, threads);
                } else if (node.type == "dense") {
                    register_op<Dense>(dense_shape(node, batch), shape, threads);
                } else if (node.type == "max_pool") {
                    register_op<MaxPool2d>(max_pool2d_shape(node, batch), shape, threads);
                }
            }
        }
    }
}

}  // namespace
}  // namespace trainscope::benchmarks

int main(int argc, char** argv) {
    return trainscope::benchmarks::run_benchmarks(argc, argv, trainscope::benchmarks::register_all);
}
