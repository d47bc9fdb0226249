// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/open_file.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace trainscope {

namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> unreadable(const fs::path& file, const std::error_code& why) {
    return make_error(ErrorCode::io, "{}: cannot be read: {}.", file.string(), why.message());
}

}  // namespace

Result<OpenedFile> open_file(const fs::path& file) {
    std::error_code failed;
    const fs::file_status status = fs::status(file, failed);
    if (status.type() == fs::file_type::not_found) {
        return make_error(ErrorCode::not_found, "{}: there is no such file.", file.string());
    }
    if (failed) {
        return unreadable(file, failed);
    }
    if (!fs::is_regular_file(status)) {
        return make_error(ErrorCode::bad_file, "{}: expected a file, found a {}.", file.string(),
                          fs::is_directory(status) ? "folder" : "device or pipe");
    }
    const std::uintmax_t bytes = fs::file_size(file, failed);
    if (failed) {
        return unreadable(file, failed);
    }
    errno = 0;
    OpenedFile opened;
    opened.bytes = static_cast<std::int64_t>(bytes);
    opened.stream.reset(std::fopen(file.c_str(), "rbe"));
    if (opened.stream == nullptr) {
        return unreadable(file, {errno, std::generic_category()});
    }
    return opened;
}

}  // namespace trainscope
