// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/shared.h"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace trainscope::testing {

namespace fs = std::filesystem;

fs::path shared_folder() {
    std::error_code ignored;
    if (const char* chosen = std::getenv("TRAINSCOPE_SHARED"); chosen != nullptr && *chosen != 0) {
        return fs::is_directory(chosen, ignored) ? fs::path(chosen) : fs::path();
    }
    const fs::path beside = fs::path(TRAINSCOPE_SOURCE_DIR).parent_path() / "shared";
    return fs::is_directory(beside, ignored) ? beside : fs::path();
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "trainscope-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw std::runtime_error("cannot make a temporary folder at " + pattern);
    }
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace trainscope::testing
