// SPDX-License-Identifier: GPL-3.0-or-later
// A file that appears whole or not at all: written beside its place, then renamed to it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace trainscope {

// What was written before commit() is removed when the object goes, and a file that was at `target`
// stays as it was.
class AtomicFile {
  public:
    // Error io names the file and says why: the folder is missing, or cannot be written.
    static Result<AtomicFile> create(const std::filesystem::path& target);
    ~AtomicFile();
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    // Buffered. A failure (a full disk) is kept and told by commit.
    void write(std::string_view bytes);
    // Flushes and renames. Error io names the file and says why.
    Result<void> commit();

  private:
    AtomicFile(std::filesystem::path target, std::string temporary, int descriptor);
    void flush();

    std::filesystem::path target_;
    std::string temporary_;
    int descriptor_ = -1;
    int failure_ = 0;  // errno of the first write that failed
    std::string buffer_;
};

}  // namespace trainscope
