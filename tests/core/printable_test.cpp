// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/printable.h"

#include <gtest/gtest.h>

namespace trainscope {
namespace {

TEST(Printable, TextStaysAsItIs) {
    for (const char* text : {"", "cat", "a b~", "C:\\x", "\u00e9", "\u732b", "\U0001F408"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(Printable, ControlCharactersAreSpelledOut) {
    EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
    EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
    EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
    EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");  // as ESC [ in one character
    EXPECT_EQ(printable("\u202ejpg\u2066"), "\\u202ejpg\\u2066");
}

TEST(Printable, BytesThatAreNoUtf8AreSpelledOut) {
    EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
    EXPECT_EQ(printable("\xff"
                        "a"),
              "\\xffa");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "longer than it must be";
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "past the last";
    EXPECT_EQ(printable("\xe7\x8c"), "\\xe7\\x8c") << "cut off";
}

}  // namespace
}  // namespace trainscope
