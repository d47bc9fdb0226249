// SPDX-License-Identifier: GPL-3.0-or-later
// What the stand-ins of NVIDIA's libraries check of the memory that they are given. As for kernels,
// an address that belongs to no device allocation is not looked at.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trainscope::emulation {

// `columns` stretches of `rows` floats, `stride` floats apart, as matrices of the libraries lie.
struct DeviceMatrix {
    const void* data = nullptr;
    std::int64_t rows = 0, columns = 0, stride = 0;
};

// Reports what lies outside of its allocation and, with checked accesses, was never written. False
// when it reported something: then the call must not touch it.
bool may_read(const DeviceMatrix& matrix, const char* call);
// Reports what lies outside; what is inside counts as written from now on.
bool may_write(const DeviceMatrix& matrix, const char* call);

}  // namespace trainscope::emulation
