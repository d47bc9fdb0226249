// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/file_bytes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/format.h"
#include "engine/core/open_file.h"
#include "engine/data/gzip_reader.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t chunk = std::int64_t{1} << 20;
constexpr std::int64_t first_room = std::int64_t{1} << 26;
// Deflate cannot shrink anything more than this (zlib's technical notes: 1032:1).
constexpr std::int64_t largest_ratio = 1032;

}  // namespace

FileBytes::FileBytes() = default;
FileBytes::FileBytes(FileBytes&&) noexcept = default;
FileBytes& FileBytes::operator=(FileBytes&&) noexcept = default;
FileBytes::~FileBytes() = default;

Result<FileBytes> FileBytes::open(const fs::path& file, std::stop_token stop) {
    Result<OpenedFile> opened = open_file(file);
    if (!opened) {
        return make_error(std::move(opened.error()));
    }
    FileBytes bytes;
    bytes.path_ = file;
    bytes.stop_ = std::move(stop);
    bytes.size_ = opened->bytes;
    bytes.reader_ = std::make_unique<GzipReader>(std::move(opened->stream));
    bytes.compressed_ = bytes.reader_->compressed();
    return bytes;
}

tl::unexpected<Error> FileBytes::ended(std::int64_t wanted, std::int64_t found,
                                       std::string_view what) const {
    return make_error(
        ErrorCode::bad_file, "{}: expected {} ({} bytes) at offset {}, found only {} bytes.",
        path_.string(), what, format_count(wanted), format_count(offset_), format_count(found));
}

Result<void> FileBytes::expect_room(std::int64_t count, std::string_view what) const {
    const std::int64_t room = compressed_ ? size_ * largest_ratio : size_ - offset_;
    if (count > room) {
        return compressed_
                   ? Result<void>(make_error(ErrorCode::bad_file,
                                             "{}: expected {} ({} bytes) at offset {}, which a "
                                             "compressed file of {} bytes cannot hold.",
                                             path_.string(), what, format_count(count),
                                             format_count(offset_), format_count(size_)))
                   : Result<void>(ended(count, room, what));
    }
    return {};
}

Result<std::vector<std::uint8_t>> FileBytes::read(std::int64_t count, std::string_view what) {
    if (Result<void> fits = expect_room(count, what); !fits) {
        return make_error(std::move(fits.error()));
    }
    if (Result<void> fits = expect_memory(count, path_.string()); !fits) {
        return make_error(std::move(fits.error()));
    }
    // A compressed file may claim a thousand times its size: then room is made only as it fills.
    std::vector<std::uint8_t> bytes;
    std::int64_t found = 0;
    while (found < count) {
        const std::int64_t room =
            compressed_ ? std::min(count, std::max(2 * found, first_room)) : count;
        bytes.resize(static_cast<std::size_t>(room));
        if (Result<void> got = fill(bytes, found, count, what); !got) {
            return make_error(std::move(got.error()));
        }
        found = room;
    }
    offset_ += count;
    return bytes;
}

Result<void> FileBytes::read(std::span<std::uint8_t> into, std::string_view what) {
    const auto count = static_cast<std::int64_t>(into.size());
    if (Result<void> fits = expect_room(count, what); !fits) {
        return fits;
    }
    if (Result<void> got = fill(into, 0, count, what); !got) {
        return got;
    }
    offset_ += count;
    return {};
}

Result<void> FileBytes::fill(std::span<std::uint8_t> into, std::int64_t found, std::int64_t total,
                             std::string_view what) {
    const auto end = static_cast<std::int64_t>(into.size());
    while (found < end) {
        if (stop_.stop_requested()) {
            return opening_cancelled();
        }
        const std::int64_t wanted = std::min(chunk, end - found);
        const std::size_t got = reader_->read(
            into.subspan(static_cast<std::size_t>(found), static_cast<std::size_t>(wanted)));
        found += static_cast<std::int64_t>(got);
        if (static_cast<std::int64_t>(got) < wanted) {
            return stopped(total, found, what);
        }
    }
    return {};
}

// Why there was nothing more to read after `found` of `total` bytes.
tl::unexpected<Error> FileBytes::stopped(std::int64_t total, std::int64_t found,
                                         std::string_view what) const {
    const GzipReader::State state = reader_->state();
    if (state == GzipReader::State::ended || state == GzipReader::State::cut_off) {
        return ended(total, found, what);
    }
    return make_error(state == GzipReader::State::failed ? ErrorCode::io : ErrorCode::bad_file,
                      "{}: expected {} ({} bytes), but after offset {} it cannot be read: {}.",
                      path_.string(), what, format_count(total), format_count(offset_ + found),
                      reader_->reason());
}

Result<void> FileBytes::skip(std::int64_t count, std::string_view what) {
    if (Result<void> fits = expect_room(count, what); !fits) {
        return fits;
    }
    std::vector<std::uint8_t> scratch(static_cast<std::size_t>(std::min(chunk, count)));
    while (count > 0) {
        const auto part = static_cast<std::size_t>(std::min(chunk, count));
        if (Result<void> got = read(std::span(scratch).first(part), what); !got) {
            return got;
        }
        count -= static_cast<std::int64_t>(part);
    }
    return {};
}

Result<void> FileBytes::expect_end() {
    std::uint8_t more = 0;
    if (reader_->read(std::span(&more, 1)) > 0) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected the file to end at offset {}, found more bytes.",
                          path_.string(), format_count(offset_));
    }
    switch (reader_->state()) {
        case GzipReader::State::cut_off:
            return make_error(
                ErrorCode::bad_file,
                "{}: is cut off at its end: expected gzip's checksum and length after "
                "{} bytes of content.",
                path_.string(), format_count(offset_));
        case GzipReader::State::damaged:
        case GzipReader::State::trailing:
        case GzipReader::State::failed:
            return make_error(
                reader_->state() == GzipReader::State::failed ? ErrorCode::io : ErrorCode::bad_file,
                "{}: expected the file to end after {} bytes of content, but {}.", path_.string(),
                format_count(offset_), reader_->reason());
        default:
            return {};
    }
}

}  // namespace trainscope
