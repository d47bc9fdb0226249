// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/record/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace trainscope {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

tl::unexpected<Error> cannot_write(const std::filesystem::path& file, int code) {
    return make_error(ErrorCode::io, "Cannot write '{}': {}.", file.string(),
                      std::generic_category().message(code));
}

// mkstemp gives 0600; a file that a person exports gets the rights that any new file would.
void give_usual_rights(int descriptor) {
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, std::string temporary, int descriptor)
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      failure_(other.failure_),
      buffer_(std::move(other.buffer_)) {}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    if (!temporary_.empty()) {
        unlink(temporary_.c_str());
    }
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) {
    std::error_code ignored;
    if (std::filesystem::is_directory(target, ignored)) {
        return cannot_write(target, EISDIR);
    }
    std::string temporary = target.string() + ".XXXXXX";
    const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor < 0) {
        return cannot_write(target, errno);
    }
    give_usual_rights(descriptor);
    return AtomicFile(target, std::move(temporary), descriptor);
}

void AtomicFile::write(std::string_view bytes) {
    buffer_.append(bytes);
    if (buffer_.size() >= buffer_bytes) {
        flush();
    }
}

void AtomicFile::flush() {
    std::string_view rest = buffer_;
    while (failure_ == 0 && !rest.empty()) {
        const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            failure_ = errno;
        }
    }
    buffer_.clear();
}

Result<void> AtomicFile::commit() {
    flush();
    if (failure_ == 0 && fsync(descriptor_) != 0 && errno != EINVAL) {
        failure_ = errno;
    }
    if (close(std::exchange(descriptor_, -1)) != 0 && failure_ == 0) {
        failure_ = errno;
    }
    if (failure_ == 0 && std::rename(temporary_.c_str(), target_.c_str()) != 0) {
        failure_ = errno;
    }
    if (failure_ != 0) {
        return cannot_write(target_, failure_);
    }
    temporary_.clear();
    return {};
}

}  // namespace trainscope
