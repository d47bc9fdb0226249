// SPDX-License-Identifier: GPL-3.0-or-later
// A data file read from front to back, plain or compressed by gzip. Every length is checked against
// what the file can hold before anything is allocated for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace trainscope {

class GzipReader;

class FileBytes {
  public:
    FileBytes(FileBytes&&) noexcept;
    FileBytes& operator=(FileBytes&&) noexcept;
    ~FileBytes();
    // Errors: those of open_file.
    static Result<FileBytes> open(const std::filesystem::path& file, std::stop_token stop = {});

    // The next `count` bytes, called `what` in errors: "1,000 labels". Errors name the file, the
    // offset, what was expected and what was found: bad_file when the file does not hold them, io
    // when the system cannot read them, out_of_memory, cancelled.
    Result<std::vector<std::uint8_t>> read(std::int64_t count, std::string_view what);
    Result<void> read(std::span<std::uint8_t> into, std::string_view what);
    Result<void> skip(std::int64_t count, std::string_view what);
    // Error bad_file when there is more, or when the checksum of a compressed file is wrong; io
    // when the system cannot tell.
    Result<void> expect_end();

    std::int64_t offset() const { return offset_; }  // of the uncompressed content
    bool compressed() const { return compressed_; }
    std::int64_t file_size() const { return size_; }
    const std::filesystem::path& path() const { return path_; }

  private:
    FileBytes();
    // Fills `into` from `found` on: bytes of the `total` that are read together.
    Result<void> fill(std::span<std::uint8_t> into, std::int64_t found, std::int64_t total,
                      std::string_view what);
    Result<void> expect_room(std::int64_t count, std::string_view what) const;
    tl::unexpected<Error> stopped(std::int64_t total, std::int64_t found,
                                  std::string_view what) const;
    tl::unexpected<Error> ended(std::int64_t wanted, std::int64_t found,
                                std::string_view what) const;

    std::filesystem::path path_;
    std::unique_ptr<GzipReader> reader_;
    std::stop_token stop_;
    std::int64_t size_ = 0;
    std::int64_t offset_ = 0;
    bool compressed_ = false;
};

}  // namespace trainscope
