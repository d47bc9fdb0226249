// SPDX-License-Identifier: GPL-3.0-or-later
// Loops over threads for CPU kernels. Work is cut by index and thread count alone, so that a result
// depends on neither timing nor scheduling.
#pragma once

#include <algorithm>
#include <cstdint>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace trainscope::cpu {

// The part of [0, count) that thread `index` of `threads` works on; the parts differ by at most
// one.
struct Part {
    std::int64_t begin, end;
};
inline Part part_of(std::int64_t count, int index, int threads) {
    const std::int64_t base = count / threads;
    const std::int64_t rest = count % threads;
    const std::int64_t begin = base * index + std::min<std::int64_t>(index, rest);
    return {begin, begin + base + (index < rest ? 1 : 0)};
}

// Calls body(index) for each index in [0, threads), each on a thread of its own.
template <class Body>
void on_threads(int threads, const Body& body) {
#if defined(_OPENMP)
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        {
            // OpenMP may give fewer threads than asked for: every index is run all the same.
            for (int i = omp_get_thread_num(); i < threads; i += omp_get_num_threads()) {
                body(i);
            }
        }
        return;
    }
#endif
    for (int i = 0; i < threads; ++i) {
        body(i);
    }
}

// Calls body(begin, end) on disjoint ranges that together are [0, count).
template <class Body>
void parallel_for(int threads, std::int64_t count, const Body& body) {
    const int used = static_cast<int>(std::clamp<std::int64_t>(count, 1, threads));
    on_threads(used, [&](int index) {
        const Part part = part_of(count, index, used);
        if (part.begin < part.end) {
            body(part.begin, part.end);
        }
    });
}

}  // namespace trainscope::cpu
