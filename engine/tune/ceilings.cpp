// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/ceilings.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "engine/ops/dense.h"
#include "engine/ops/kernel_variant.h"
#include "engine/tune/cold_caches.h"

namespace trainscope {

namespace {

constexpr int runs = 7;

// Past the caches, where the processor can: to write a line it then need not read it first. All are
// multiples of 64.
void copy_past_caches(std::byte* to, const std::byte* from, std::int64_t bytes) {
#if defined(__SSE2__)
    for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(__m128i))) {
        const void* const source = from + at;
        void* const target = to + at;
        _mm_stream_si128(static_cast<__m128i*>(target),
                         _mm_load_si128(static_cast<const __m128i*>(source)));
    }
    _mm_sfence();
#else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

// By as many threads as kernels have: one alone does not reach what memory gives.
void copy(DeviceRuntime& runtime, const Buffer& to, const Buffer& from, int threads) {
    if (!runtime.tensors_are_host_memory()) {
        runtime.copy(to.data(), from.data(), to.bytes());
        return;
    }
    const std::int64_t part =
        to.bytes() / threads / allocation_granularity * allocation_granularity;
#if defined(_OPENMP)
#pragma omp parallel for num_threads(threads)
#endif
    for (int i = 0; i < threads; ++i) {
        const std::int64_t begin = i * part;
        const std::int64_t end = i + 1 == threads ? to.bytes() : begin + part;
        copy_past_caches(static_cast<std::byte*>(to.data()) + begin,
                         static_cast<const std::byte*>(from.data()) + begin, end - begin);
    }
}

// The least seconds of `run`, which is given to the runtime; the first is for warming up.
template <class Prepare, class Run>
double best_seconds(DeviceRuntime& runtime, int count, const std::stop_token& stop,
                    const Prepare& prepare, const Run& run) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= count && !stop.stop_requested() && runtime.status(); ++i) {
        prepare();
        const DeviceRuntime::Mark begin = runtime.mark();
        run();
        const DeviceRuntime::Mark end = runtime.mark();
        runtime.wait(end);
        if (i > 0 || count == 0) {
            best = std::min(best, runtime.seconds_between(begin, end));
        }
    }
    return best;
}

double copy_bytes_per_second(DeviceRuntime& runtime, int threads, const std::stop_token& stop) {
    const std::int64_t bytes =
        runtime.tensors_are_host_memory() ? std::int64_t{64} << 20 : std::int64_t{512} << 20;
    Arena arena(runtime.allocator());
    auto from = arena.allocate(bytes, MemoryCategory::workspace, "copying");
    auto to = arena.allocate(bytes, MemoryCategory::workspace, "copying");
    if (!from || !to) {
        return 0;
    }
    ColdCaches caches(runtime);
    runtime.clear(from->data(), bytes);
    const BenchMemory both[] = {{from->data(), bytes}, {to->data(), bytes}};
    const double seconds = best_seconds(
        runtime, runs, stop, [&] { caches.make_cold(both); },
        [&] { copy(runtime, *to, *from, threads); });
    return 2 * static_cast<double>(bytes) / seconds;
}

// Square factors, large enough to be bound by arithmetic.
struct Product {
    Product(DeviceRuntime& runtime, const DeviceInfo& device)
        : side(device.kind == DeviceKind::cpu ? 1024 : 4096), arena(runtime.allocator()) {
        const std::int64_t bytes = side * side * static_cast<std::int64_t>(sizeof(float));
        for (Buffer* const factor : {&x, &weight, &y}) {
            if (auto made = arena.allocate(bytes, MemoryCategory::workspace, "a product")) {
                *factor = std::move(*made);
                runtime.clear(factor->data(), bytes);
            }
        }
    }
    bool complete() const { return x && weight && y; }
    Dense::Shape shape() const { return {.n = side, .in = side, .out = side, .bias = false}; }

    std::int64_t side;
    Arena arena;
    Buffer x, weight, y;
};

// Flops a second of one variant; 0 where it cannot do it. Those whose first run is far behind the
// `best` so far are not run again.
double matrix_rate(const KernelVariant<Dense>& variant, Product& product,
                   const KernelContext& context, double best, const std::stop_token& stop) {
    const Dense::Shape shape = product.shape();
    if (!variant.trainable || variant.refuses(shape)) {
        return 0;
    }
    auto workspace = product.arena.allocate(variant.workspace_bytes(shape, context),
                                            MemoryCategory::workspace, "a product");
    if (!workspace) {
        return 0;
    }
    const auto kernel = variant.make(shape, context);
    const auto rate = [&](int count) {
        const double seconds = best_seconds(
            *context.runtime, count, stop, [] {},
            [&] {
                kernel->forward({.x = product.x.floats(),
                                 .weight = product.weight.floats(),
                                 .bias = nullptr,
                                 .y = product.y.floats(),
                                 .workspace = workspace->data()});
            });
        return 2 * static_cast<double>(shape.macs()) / seconds;
    };
    const double first = rate(0);
    return first < best / 4 ? first : rate(runs);
}

}  // namespace

BenchCeilings measure_ceilings(DeviceRuntime& runtime, const DeviceInfo& device, int threads,
                               const std::stop_token& stop) {
    BenchCeilings ceilings;
    ceilings.bytes_per_second = copy_bytes_per_second(runtime, threads, stop);
    Product product(runtime, device);
    if (!product.complete()) {
        return ceilings;
    }
    std::vector<const KernelVariant<Dense>*> variants;  // the most promising first
    for (const KernelVariant<Dense>& variant : variants_of<Dense>(device.kind)) {
        variants.push_back(&variant);
    }
    std::sort(variants.begin(), variants.end(), [&](const auto* a, const auto* b) {
        return a->preference_for(product.shape()) > b->preference_for(product.shape());
    });
    for (const KernelVariant<Dense>* const variant : variants) {
        const double rate =
            matrix_rate(*variant, product, {.threads = threads, .runtime = &runtime},
                        ceilings.flops_per_second, stop);
        if (rate > ceilings.flops_per_second) {
            ceilings.flops_per_second = rate;
            ceilings.matrix_variant = std::string(Dense::name) + " " + variant->name;
        }
    }
    return ceilings;
}

}  // namespace trainscope
