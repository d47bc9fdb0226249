// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file from front to back, unpacked where it is compressed by gzip (RFC 1952).
// Unlike zlib's own gzread it does not pass over what follows the compressed data.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/open_file.h"

namespace trainscope {

class GzipReader {
  public:
    enum class State : std::uint8_t {
        good,
        ended,     // right at the end of the content
        cut_off,   // the file ends within compressed data
        damaged,   // compressed data that breaks its format or checksum; see reason
        trailing,  // something else follows the compressed data
        failed,    // the system could not read; see reason
    };

    using File = std::unique_ptr<std::FILE, CloseFile>;
    explicit GzipReader(File file);
    ~GzipReader();
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;

    // Fills `into` as far as there is something; when that is not to its end, state says why.
    std::size_t read(std::span<std::uint8_t> into);
    bool compressed() const { return compressed_; }
    State state() const { return state_; }
    const std::string& reason() const { return reason_; }

  private:
    void refill();
    void unpack();
    void fail(State state, std::string reason);

    File file_;
    std::vector<std::uint8_t> buffer_;
    z_stream stream_{};
    std::string reason_;
    State state_ = State::good;
    bool compressed_ = false;
    bool between_members_ = true;  // a gzip file is one or more members
};

}  // namespace trainscope
