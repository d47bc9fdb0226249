// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/emulation/library_memory.h"

#include <fmt/format.h>

#include "engine/cuda/emulation/checker.h"
#include "engine/cuda/emulation/device_memory.h"
#include "engine/cuda/emulation/faults.h"

namespace trainscope::emulation {

namespace {

bool is_inside(const DeviceMatrix& matrix, const char* call, const char* does) {
    if (matrix.rows == 0 || matrix.columns == 0) {
        return true;
    }
    const Allocation* const allocation = find_allocation(matrix.data);
    if (allocation == nullptr) {
        return true;
    }
    const std::ptrdiff_t first = static_cast<const std::byte*>(matrix.data) - allocation->data;
    const std::int64_t floats = (matrix.columns - 1) * matrix.stride + matrix.rows;
    const std::int64_t end = first + floats * static_cast<std::int64_t>(sizeof(float));
    if (first >= 0 && end <= static_cast<std::int64_t>(allocation->bytes)) {
        return true;
    }
    report_fault(FaultKind::device_bounds,
                 fmt::format("{} {} bytes {} to {} of a device allocation, which has {} bytes.",
                             call, does, first, end - 1, allocation->bytes));
    return false;
}

const float* column(const DeviceMatrix& matrix, std::int64_t number) {
    return static_cast<const float*>(matrix.data) + number * matrix.stride;
}

}  // namespace

bool may_read(const DeviceMatrix& matrix, const char* call) {
    if (!is_inside(matrix, call, "reads")) {
        return false;
    }
    const std::size_t bytes = static_cast<std::size_t>(matrix.rows) * sizeof(float);
    for (std::int64_t i = 0; i < matrix.columns; ++i) {
        if (const auto at = never_written(column(matrix, i), bytes)) {
            report_fault(FaultKind::uninitialized_read,
                         fmt::format("{} reads byte {} of a device allocation, which was never "
                                     "written.",
                                     call, *at));
            return false;
        }
    }
    return true;
}

bool may_write(const DeviceMatrix& matrix, const char* call) {
    if (!is_inside(matrix, call, "writes")) {
        return false;
    }
    for (std::int64_t i = 0; i < matrix.columns; ++i) {
        note_host_write(column(matrix, i), static_cast<std::size_t>(matrix.rows) * sizeof(float));
    }
    return true;
}

}  // namespace trainscope::emulation
