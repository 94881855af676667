// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.hpp"

#include <gtest/gtest.h>

namespace trunkline {
namespace {

TEST(Utf8, TellsLettersFromBytesThatAreNone) {
  EXPECT_EQ(letter_bytes("a", 0), 1U);
  EXPECT_EQ(letter_bytes("x\xc3\xbc", 1), 2U);
  EXPECT_EQ(letter_bytes("\xf0\x9f\x98\x80", 0), 4U);
  for (const std::string_view wrong : {"\xff", "\xc3", "\xc3(", "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                       "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(letter_bytes(wrong, 0), 0U) << wrong;
  }
}

TEST(Utf8, WritesAnyBytesAsJson) {
  EXPECT_EQ(json_text("a \"b\" \\ \n\x7f"), "\"a \\\"b\\\" \\\\ \\u000a\x7f\"");
  EXPECT_EQ(json_text("b\xc3\xbc\x66 \xff\xed\xa0\x80"), "\"b\xc3\xbc\x66 \\udcff\\udced\\udca0\\udc80\"");
  EXPECT_EQ(json_text(std::string_view("\0x", 2)), "\"\\u0000x\"");
}

}  // namespace
}  // namespace trunkline
