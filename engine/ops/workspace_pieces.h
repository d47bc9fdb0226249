// SPDX-License-Identifier: GPL-3.0-or-later
// Hands out a kernel's workspace piece by piece, each where a device's vectors and libraries want
// it: at a multiple of 256 bytes. Without one it only counts, so that the size that a variant asks
// for and the use of it are the same text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trainscope {

class WorkspacePieces {
  public:
    explicit WorkspacePieces(void* workspace = nullptr)
        : workspace_(static_cast<std::byte*>(workspace)) {}

    template <class T>
    T* take(std::int64_t count) {
        constexpr std::int64_t alignment = 256;
        std::byte* const piece = workspace_ == nullptr ? nullptr : workspace_ + bytes_;
        const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
        bytes_ += (bytes + alignment - 1) / alignment * alignment;
        return reinterpret_cast<T*>(piece);
    }
    std::int64_t bytes() const { return bytes_; }

  private:
    std::byte* workspace_;
    std::int64_t bytes_ = 0;
};

}  // namespace trainscope
