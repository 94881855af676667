// SPDX-License-Identifier: Apache-2.0
// Tags tell communicators, calls, claims and trees apart, whatever the largest tag of the library is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include "transport/mpi/tags.hpp"

namespace trunkline::runtime {
namespace {

/// What MPI promises, and what the libraries have.
constexpr int largest[] = {32767, (1 << 19) - 1, (1 << 28) - 1, 0x7FFFFFFF};

TEST(Tags, OneForEachTurn) {
  for (const int tag_ub : largest) {
    const TagLayout layout(tag_ub);
    std::set<int> all;
    for (std::uint64_t turn = 0; turn < layout.turns(); ++turn) {
      all.insert(layout.tag(1, turn, 0, 1, 0));
      all.insert(layout.notice(1, turn));
    }
    EXPECT_EQ(all.size(), 2 * layout.turns()) << tag_ub;
    EXPECT_GE(layout.turns(), 32U) << tag_ub;
  }
}

TEST(Tags, AllMeetBeforeATurnComesBack) {
  for (const int tag_ub : largest) {
    const TagLayout layout(tag_ub);
    std::uint64_t met = 0;
    for (std::uint64_t turn = 1; turn < 3 * layout.turns(); ++turn) {
      if (layout.meet_before(turn)) met = turn;
      EXPECT_LT(turn - met, layout.turns()) << tag_ub;
    }
    EXPECT_FALSE(layout.meet_before(0));
  }
}

RC_GTEST_PROP(Tags, AreAlikeOnlyForWhatIsAlike, ()) {
  const int tag_ub = *rc::gen::elementOf(std::vector<int>(std::begin(largest), std::end(largest)));
  const TagLayout layout(tag_ub);
  const auto trees = *rc::gen::inRange<std::size_t>(1, TagLayout::trees + 1);
  const std::uint64_t claims = std::max<std::uint64_t>(layout.claims(trees), 1);
  const auto some = [&] {
    return std::tuple(*rc::gen::inRange<unsigned>(0, layout.ids()), *rc::gen::inRange<std::uint64_t>(0, layout.turns()),
                      *rc::gen::inRange<std::uint64_t>(0, claims),
                      *rc::gen::inRange<unsigned>(0, static_cast<unsigned>(trees)));
  };
  const auto one = some();
  auto other = one;
  const auto another = some();
  switch (*rc::gen::inRange(0, 5)) {  // unlike in one thing at most
    case 0:
      std::get<0>(other) = std::get<0>(another);
      break;
    case 1:
      std::get<1>(other) = std::get<1>(another);
      break;
    case 2:
      std::get<2>(other) = std::get<2>(another);
      break;
    case 3:
      std::get<3>(other) = std::get<3>(another);
      break;
    default:
      other = another;
  }
  const auto tag = [&](const auto& of) {
    return layout.tag(std::get<0>(of), std::get<1>(of), std::get<2>(of), trees, std::get<3>(of));
  };
  RC_ASSERT(tag(one) >= 0 && tag(one) <= tag_ub);
  RC_ASSERT((tag(one) == tag(other)) == (one == other));
  RC_ASSERT(tag(one) != layout.notice(std::get<0>(other), std::get<1>(other)));
}

}  // namespace
}  // namespace trunkline::runtime
