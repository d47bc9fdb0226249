// SPDX-License-Identifier: GPL-3.0-or-later
// The shared memory of one block: arrays by key with red zones between them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::emulation {

class SharedMemory {
  public:
    SharedMemory();
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // A new block: everything is forgotten, `dynamic_bytes` start the memory.
    void reset(std::size_t dynamic_bytes);
    // nullptr when a block cannot have that much.
    void* array(const void* key, std::size_t bytes, std::size_t alignment);
    void* dynamic() const { return arrays_.front().data; }
    std::size_t used() const { return used_; }
    // Whether nothing was written between the arrays; else what was, in words.
    std::string damage() const;

    struct Array {
        const void* key = nullptr;  // whose it is; nullptr for the dynamic memory, the first
        std::byte* data = nullptr;
        std::size_t bytes = 0;
    };
    const std::vector<Array>& arrays() const { return arrays_; }
    bool contains(const void* place) const {
        return place >= memory_.get() && place < memory_.get() + capacity;
    }

  private:
    static constexpr std::size_t capacity = 512 * 1024;
    static constexpr std::size_t red_zone = 64;
    std::byte* take(const void* key, std::size_t bytes, std::size_t alignment);

    std::unique_ptr<std::byte[]> memory_;
    std::vector<Array> arrays_;
    std::size_t end_ = 0;   // first free byte
    std::size_t used_ = 0;  // bytes of arrays
};

}  // namespace trainscope::emulation
