// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/open_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/shared.h"

namespace trainscope {
namespace {

using ::testing::HasSubstr;

class OpenFile : public ::testing::Test {
  protected:
    std::filesystem::path path(const char* name) const { return folder_.path() / name; }
    void expect_refused(const std::filesystem::path& file, ErrorCode code, const char* says) const {
        const auto opened = open_file(file);
        ASSERT_FALSE(opened) << file;
        EXPECT_EQ(opened.error().code, code);
        EXPECT_THAT(opened.error().message, HasSubstr(file.string()));
        EXPECT_THAT(opened.error().message, HasSubstr(says));
    }
    testing::TemporaryFolder folder_;
};

TEST_F(OpenFile, KnowsItsSizeAndIsReadFromTheFront) {
    std::ofstream(path("a")) << "abc";
    const auto opened = open_file(path("a"));
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->bytes, 3);
    EXPECT_EQ(std::fgetc(opened->stream.get()), 'a');
}

TEST_F(OpenFile, WhatIsNotThereIsNotFound) {
    expect_refused(path("none"), ErrorCode::not_found, "no such file");
    expect_refused(path("none") / "a", ErrorCode::not_found, "no such file");
}

TEST_F(OpenFile, AFolderAndAPipeAreRefusedWithoutWaiting) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    expect_refused(path("pipe"), ErrorCode::bad_file, "found a device or pipe");
    expect_refused(folder_.path(), ErrorCode::bad_file, "found a folder");
    expect_refused("/dev/zero", ErrorCode::bad_file, "found a device or pipe");
}

TEST_F(OpenFile, WhatMayNotBeReadSaysWhy) {
    std::ofstream(path("secret")) << "x";
    ASSERT_EQ(chmod(path("secret").c_str(), 0), 0);
    if (geteuid() != 0) {  // root may read everything
        expect_refused(path("secret"), ErrorCode::io, "Permission denied");
    }
    expect_refused(std::filesystem::path("/" + std::string(300, 'a')), ErrorCode::io,
                   "File name too long");
}

}  // namespace
}  // namespace trainscope
