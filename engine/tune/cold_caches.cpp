// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/cold_caches.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>

namespace trainscope {

namespace {

// Above twice the second-level cache of any card there is.
constexpr std::int64_t scrubbed_bytes = std::int64_t{256} << 20;

#if defined(__x86_64__)
void flush(const BenchMemory& memory) {
    constexpr std::int64_t line = 64;
    const auto* const bytes = static_cast<const std::byte*>(memory.data);
    for (std::int64_t at = 0; at < memory.bytes; at += line) {
        _mm_clflush(bytes + at);
    }
}
#endif

}  // namespace

void ColdCaches::prepare(Arena& arena) {
#if defined(__x86_64__)
    if (runtime_->tensors_are_host_memory()) {
        return;
    }
#endif
    for (std::int64_t bytes = scrubbed_bytes; bytes >= std::int64_t{8} << 20; bytes /= 2) {
        if (auto buffer = arena.allocate(bytes, MemoryCategory::workspace, "cache scrubbing")) {
            scrubbed_ = std::move(*buffer);
            return;
        }
    }
}

void ColdCaches::make_cold(std::span<const BenchMemory> tensors) {
#if defined(__x86_64__)
    if (runtime_->tensors_are_host_memory()) {
        for (const BenchMemory& tensor : tensors) {
            flush(tensor);
        }
        _mm_mfence();
        return;
    }
#endif
    static_cast<void>(tensors);
    if (scrubbed_) {
        runtime_->clear(scrubbed_.data(), scrubbed_.bytes());
    }
}

}  // namespace trainscope
