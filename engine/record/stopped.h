// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a writer of many rows has been asked to stop.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>

#include "engine/core/result.h"

namespace trainscope {

// Error cancelled, naming the file, once it is asked to; looks at every 1024th row only.
inline Result<void> go_on(const std::stop_token& stop, std::size_t row,
                          const std::filesystem::path& file) {
    if (row % 1024 == 0 && stop.stop_requested()) {
        return make_error(ErrorCode::cancelled, "{}: the export was cancelled.", file.string());
    }
    return {};
}

}  // namespace trainscope
