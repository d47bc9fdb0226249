// SPDX-License-Identifier: GPL-3.0-or-later
// An append-only column: one writer never waits, any number of readers see a consistent prefix.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace trainscope {

// Chunk k holds first_chunk << k values, so values never move, an index becomes a chunk by its
// highest bit, and the writer allocates only when the column doubles.
template <class T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    static constexpr std::size_t first_chunk = 1024;

    Column() = default;
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;

    // Writer only: so that the next `values` appends cannot run out of memory. 1 <= values <=
    // first_chunk.
    void make_room(std::size_t values = 1) {
        const std::size_t size = size_.load(std::memory_order_relaxed);
        for (const std::size_t index : {size, size + values - 1}) {
            const std::size_t chunk = locate(index).chunk;
            if (chunks_[chunk] == nullptr) {
                chunks_[chunk] = std::make_unique_for_overwrite<T[]>(first_chunk << chunk);
            }
        }
    }

    // Writer only.
    void append(T value) {
        make_room();
        const std::size_t index = size_.load(std::memory_order_relaxed);
        const auto [chunk, offset] = locate(index);
        chunks_[chunk][offset] = value;
        size_.store(index + 1, std::memory_order_release);
    }

    // How many values a reader may look at now; it only grows.
    std::size_t size() const { return size_.load(std::memory_order_acquire); }

    // index < a size() that this reader has seen.
    T operator[](std::size_t index) const {
        const auto [chunk, offset] = locate(index);
        return chunks_[chunk][offset];
    }

    // The longest contiguous run that starts at `begin` and ends at or before `end`.
    std::span<const T> run(std::size_t begin, std::size_t end) const {
        assert(begin <= end);
        if (begin == end) {
            return {};
        }
        const auto [chunk, offset] = locate(begin);
        return {&chunks_[chunk][offset], std::min(end - begin, (first_chunk << chunk) - offset)};
    }

  private:
    struct Place {
        std::size_t chunk;
        std::size_t offset;
    };
    static Place locate(std::size_t index) {
        const std::size_t biased = index / first_chunk + 1;
        const auto chunk = static_cast<std::size_t>(std::bit_width(biased)) - 1;
        return {chunk, index - first_chunk * ((std::size_t{1} << chunk) - 1)};
    }

    std::array<std::unique_ptr<T[]>, 44> chunks_;
    std::atomic<std::size_t> size_{0};
};

}  // namespace trainscope
