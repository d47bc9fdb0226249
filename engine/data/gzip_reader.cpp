// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/gzip_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace trainscope {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 17;
constexpr std::uint8_t magic[] = {0x1F, 0x8B};

}  // namespace

GzipReader::GzipReader(File file) : file_(std::move(file)), buffer_(buffer_bytes) {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) {
        throw std::bad_alloc();
    }
    refill();
    compressed_ =
        stream_.avail_in >= sizeof magic && std::memcmp(stream_.next_in, magic, sizeof magic) == 0;
}

GzipReader::~GzipReader() {
    inflateEnd(&stream_);
}

std::size_t GzipReader::read(std::span<std::uint8_t> into) {
    std::size_t done = 0;
    while (done < into.size() && state_ == State::good) {
        if (stream_.avail_in == 0) {
            refill();
            continue;
        }
        const std::size_t left = std::min(into.size() - done, std::size_t{1} << 30U);
        if (compressed_) {
            stream_.next_out = into.data() + done;
            stream_.avail_out = static_cast<uInt>(left);
            unpack();
            done += left - stream_.avail_out;
        } else {
            const std::size_t part = std::min<std::size_t>(left, stream_.avail_in);
            std::memcpy(into.data() + done, stream_.next_in, part);
            stream_.next_in += part;
            stream_.avail_in -= static_cast<uInt>(part);
            done += part;
        }
    }
    return done;
}

void GzipReader::refill() {
    errno = 0;
    const std::size_t got = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    stream_.next_in = buffer_.data();
    stream_.avail_in = static_cast<uInt>(got);
    if (std::ferror(file_.get()) != 0) {
        fail(State::failed, std::strerror(errno));
    } else if (got == 0) {
        state_ = compressed_ && !between_members_ ? State::cut_off : State::ended;
    }
}

void GzipReader::unpack() {
    if (between_members_) {
        if (*stream_.next_in != magic[0]) {
            fail(State::trailing, "more bytes follow the compressed data");
            return;
        }
        inflateReset(&stream_);
        between_members_ = false;
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
        between_members_ = true;
    } else if (result == Z_MEM_ERROR) {
        throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
        fail(State::damaged, stream_.msg != nullptr ? stream_.msg : "invalid compressed data");
    }
}

void GzipReader::fail(State state, std::string reason) {
    state_ = state;
    reason_ = std::move(reason);
}

}  // namespace trainscope
