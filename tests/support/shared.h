// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of real data and reference results that tests read where it is present.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

namespace trainscope::testing {

// TRAINSCOPE_SHARED, or ../shared beside the source tree; empty where neither is a folder.
std::filesystem::path shared_folder();

// A folder of its own that is removed with its content when it goes.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace trainscope::testing

// Ends the test as skipped, with a message, where the shared folder is absent.
#define TRAINSCOPE_NEEDS_SHARED()                                                         \
    if (::trainscope::testing::shared_folder().empty()) {                                 \
        GTEST_SKIP() << "the folder of real data and reference results is not here; set " \
                        "TRAINSCOPE_SHARED to it";                                        \
    }                                                                                     \
    static_assert(true)
