// SPDX-License-Identifier: GPL-3.0-or-later
// A file opened for reading, or the reason why it cannot be: the same for all readers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "engine/core/result.h"

namespace trainscope {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

struct OpenedFile {
    std::unique_ptr<std::FILE, CloseFile> stream;
    std::int64_t bytes = 0;  // its size
};

// Regular files only: a pipe would be waited for, perhaps for ever. Errors name the file:
// not_found; bad_file for a folder, pipe or device; io with the system's reason.
Result<OpenedFile> open_file(const std::filesystem::path& file);

}  // namespace trainscope
