// SPDX-License-Identifier: Apache-2.0
#include "text/hostlist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::string> expand(std::string_view text) { return expand_hostlist(text, 100); }

TEST(Hostlist, ExpandsAsSlurmDoes) {
  EXPECT_THAT(expand("login"), ElementsAre("login"));
  EXPECT_THAT(expand("h[0-2]"), ElementsAre("h0", "h1", "h2"));
  EXPECT_THAT(expand("node[08-10,20]"), ElementsAre("node08", "node09", "node10", "node20"));
  EXPECT_THAT(expand("node[99-101]"), ElementsAre("node99", "node100", "node101"));
  EXPECT_THAT(expand("r[1-2]n[01-02]"), ElementsAre("r1n01", "r1n02", "r2n01", "r2n02"));
  EXPECT_THAT(expand("h[3,1]-ib.lab, x ,y0"), ElementsAre("h3-ib.lab", "h1-ib.lab", "x", "y0"));
  EXPECT_THAT(expand("h[7]"), ElementsAre("h7"));
}

std::pair<std::size_t, std::string> fault(std::string_view text) {
  try {
    static_cast<void>(expand(text));
  } catch (const BadHostlist& bad) {
    return {bad.offset(), bad.what()};
  }
  return {0, ""};
}

TEST(Hostlist, SaysWhereItIsWrong) {
  const std::string numbers = "inside [ ] stand numbers and ranges, such as [01-16,20]";
  EXPECT_THAT(fault(""), Pair(0, "an empty host list; write names such as node[01-16]"));
  EXPECT_THAT(fault("a,,b"), Pair(2, "a name is missing before the comma"));
  EXPECT_THAT(fault("a,"), Pair(1, "a name is missing after the comma"));
  EXPECT_THAT(fault("a b"), Pair(2, "names are separated by commas, not by blanks"));
  EXPECT_THAT(fault("n[1-2"), Pair(1, "a [ without its ]"));
  EXPECT_THAT(fault("n["), Pair(1, "a [ without its ]"));
  EXPECT_THAT(fault("n1]"), Pair(2, "a ] without its ["));
  EXPECT_THAT(fault("n[]"), Pair(2, numbers));
  EXPECT_THAT(fault("n[a]"), Pair(2, numbers));
  EXPECT_THAT(fault("n[1-]"), Pair(4, numbers));
  EXPECT_THAT(fault("n[1-2-3]"), Pair(5, numbers));
  EXPECT_THAT(fault("n[1;2]"), Pair(3, numbers));
  EXPECT_THAT(fault("n[16-01]"), Pair(2, "the range 16-01 runs backwards; write 01-16"));
  EXPECT_THAT(fault("n[1-016]"), Pair(2, "the ends of the range 1-016 are padded differently; write 001-016"));
  EXPECT_THAT(fault("n[001-16]"), Pair(2, "the ends of the range 001-16 are padded differently; write 01-16"));
  EXPECT_THAT(fault("n[1234567890]"), Pair(2, "a number of more than 9 digits"));
  EXPECT_THAT(fault("a;b"), Pair(0, "\"a;b\" is no name; names hold letters, digits and . _ - : / + @ only"));
}

TEST(Hostlist, NamesStopGrowingAtOnce) {
  // Not after the whole item: a million names would take all memory.
  const std::string text = "n[1-100]" + std::string(5000, 'a');
  EXPECT_THAT(fault(text), Pair(0, "a name of 256 characters; at most 255 are allowed"));
}

TEST(Hostlist, IsLimited) {
  EXPECT_EQ(expand("n[1-100]").size(), 100U);
  for (const char* text : {"n[1-101]", "n[0-999999999]", "n[1-50,51-101]", "n[1-11][1-10]", "n[1-50],n[1-51]"}) {
    EXPECT_THAT(fault(text), Pair(0, "more than 100 names; is a number mistyped?")) << text;
  }
}

TEST(Hostlist, Compresses) {
  EXPECT_EQ(compress_hostlist(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(compress_hostlist(std::vector<std::string>{"h0", "h1", "h2", "h9", "x"}), "h[0-2,9],x");
  EXPECT_EQ(compress_hostlist(std::vector<std::string>{"h8", "h9", "h10", "h11"}), "h[8-11]");
  EXPECT_EQ(compress_hostlist(std::vector<std::string>{"h08", "h09", "h10"}), "h[08-10]");
  EXPECT_EQ(compress_hostlist(std::vector<std::string>{"h1", "h1"}), "h[1,1]");
}

RC_GTEST_PROP(Hostlist, RoundTrips, ()) {
  const auto letter = rc::gen::element('a', 'b', '0', '0', '1', '9', '-', '.');
  const auto name = rc::gen::nonEmpty(rc::gen::resize(5, rc::gen::container<std::string>(letter)));
  const auto names = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(name));
  RC_ASSERT(expand_hostlist(compress_hostlist(names), names.size()) == names);
}

RC_GTEST_PROP(Hostlist, RoundTripsRuns, ()) {
  std::vector<std::string> names;
  for (int run = *rc::gen::inRange(1, 4); run > 0; --run) {
    const int first = *rc::gen::inRange(0, 120);
    const int length = *rc::gen::inRange(1, 30);
    const auto prefix = *rc::gen::element<std::string>("n", "n0", "rack1-n");
    for (int i = 0; i < length; ++i) {
      names.push_back(prefix + std::to_string(first + i));
    }
  }
  const std::string text = compress_hostlist(names);
  RC_ASSERT(expand_hostlist(text, names.size()) == names);
}

}  // namespace
}  // namespace trunkline
