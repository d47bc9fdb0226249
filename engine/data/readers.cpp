// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/readers.h"

#include "engine/core/device.h"
#include "engine/core/format.h"

namespace trainscope {

Result<void> expect_memory(std::int64_t bytes, std::string_view what) {
    static const std::int64_t memory = [] {
        const std::int64_t of_machine = cpu_device().memory_bytes;
        return of_machine > 0 ? of_machine : largest_split_bytes;
    }();
    if (bytes > memory) {
        const auto [wanted, had] = format_bytes_apart(bytes, memory);
        return make_error(ErrorCode::out_of_memory,
                          "{} would take {}, more than the {} of memory this machine has.", what,
                          wanted, had);
    }
    return {};
}

}  // namespace trainscope
