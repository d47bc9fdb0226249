// SPDX-License-Identifier: GPL-3.0-or-later
// An array in the emulated device's memory, for tests that launch kernels themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/launch.h"

namespace trainscope::testing {

template <class T>
class DeviceArray {
  public:
    // Not written yet.
    explicit DeviceArray(std::size_t count) : count_(count) {
        void* data = nullptr;
        cuda::cudaMalloc(&data, count * sizeof(T));
        data_ = static_cast<T*>(data);
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        cuda::cudaMemcpyAsync(data_, values.data(), count_ * sizeof(T),
                              cuda::cudaMemcpyHostToDevice, nullptr);
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { cuda::cudaFree(data_); }

    T* data() const { return data_; }
    std::vector<T> values() const {
        std::vector<T> result(count_);
        cuda::cudaMemcpyAsync(result.data(), data_, count_ * sizeof(T),
                              cuda::cudaMemcpyDeviceToHost, nullptr);
        return result;
    }

  private:
    std::size_t count_;
    T* data_ = nullptr;
};

}  // namespace trainscope::testing
