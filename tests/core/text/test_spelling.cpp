// SPDX-License-Identifier: Apache-2.0
#include "text/spelling.hpp"

#include <gtest/gtest.h>

#include <array>

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 4> words{"rate", "latency", "description", "s0"};

TEST(Spelling, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("rate", "rate"), 0U);
  EXPECT_EQ(edit_distance("rate", "RATE"), 0U);
  EXPECT_EQ(edit_distance("rate", "raet"), 1U);
  EXPECT_EQ(edit_distance("rate", "rates"), 1U);
  EXPECT_EQ(edit_distance("rate", "date"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Spelling, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("latecny", words), "latency");
  EXPECT_EQ(nearest("rat", words), "rate");
  EXPECT_EQ(nearest("s9", words), "s0");
  EXPECT_EQ(nearest("colour", words), "");
  EXPECT_EQ(nearest(std::string(5000, 'x'), words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(did_you_mean("descripton", words), " (did you mean description?)");
  EXPECT_EQ(did_you_mean("bandwidth", words), "");
}

TEST(Spelling, NamesThoseThatHaveTheWordAsAPart) {
  constexpr std::array<std::string_view, 7> names{"linear",    "unaware-scatter-ring", "scatter-ring", "scatter-xy",
                                                  "lane-ring", "by-sites-ring",        "bine"};
  EXPECT_EQ(did_you_mean("ring", names), " (did you mean lane-ring, scatter-ring or by-sites-ring?)");
  EXPECT_EQ(did_you_mean("rnig", std::span(names).first(4)), " (did you mean scatter-ring or unaware-scatter-ring?)");
  EXPECT_EQ(did_you_mean("line-ar", names), " (did you mean linear?)");
  EXPECT_EQ(did_you_mean("wheel", names), "");
}

}  // namespace
}  // namespace trunkline
