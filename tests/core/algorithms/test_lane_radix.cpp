// SPDX-License-Identifier: Apache-2.0
// Allreduces in which each rank of a host meets another host: replayed with operands that remember how they were added.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/registry.hpp"
#include "algorithms/rounds/generators.hpp"
#include "algorithms/rounds/lane_radix.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// The fewest factors of up to `most`; none: a number that is too large.
std::size_t fewest_factors(Rank number, Rank most) {
  constexpr std::size_t none = 1000;
  if (number == 1) return 0;
  std::size_t fewest = none;
  for (Rank factor = 2; factor <= std::min(most, number); ++factor) {
    if (number % factor == 0) fewest = std::min(fewest, 1 + fewest_factors(number / factor, most));
  }
  return fewest;
}

TEST(LaneRadices, AreTheFewestThereAre) {
  for (Rank most = 2; most <= 17; ++most) {
    for (Rank groups = 1; groups <= 130; ++groups) {
      const std::vector<Rank> radices = lane_radices(groups, most);
      const Rank active = std::accumulate(radices.begin(), radices.end(), Rank{1}, std::multiplies());
      ASSERT_LE(active, groups);
      ASSERT_GE(2 * active, groups);
      EXPECT_TRUE(std::ranges::is_sorted(radices, std::greater()));
      EXPECT_TRUE(std::ranges::all_of(radices, [&](Rank radix) { return radix >= 2 && radix <= most; }));
      std::size_t fewest = fewest_factors(groups, most);
      for (Rank some = (groups + 1) / 2; some < groups; ++some) {
        if (some > 1) fewest = std::min(fewest, 2 + fewest_factors(some, most));
      }
      EXPECT_EQ(radices.size() + (active < groups ? 2 : 0), fewest) << groups << " in groups of " << most;
    }
  }
  EXPECT_EQ(lane_radices(24, 16), (std::vector<Rank>{6, 4}));
  EXPECT_EQ(lane_radices(24, 4), (std::vector<Rank>{4, 3, 2}));
  EXPECT_EQ(lane_radices(17, 16), (std::vector<Rank>{16}));
  EXPECT_THROW((void)lane_radices(4, 1), std::invalid_argument);
}

struct Laid {
  Rank lanes;
  Rank most;
  Rank groups;

  [[nodiscard]] Rank ranks() const { return lanes * groups; }
  [[nodiscard]] Rounds rounds() const {
    return generate_rounds(std::to_string(lanes) + "x" + std::to_string(most) + "-lane-radix", by_number(ranks(), 0));
  }
};

Laid random_lanes() {
  const auto lanes = *rc::gen::inRange<Rank>(2, 11);
  return {lanes, *rc::gen::inRange<Rank>(2, lanes + 1), *rc::gen::inRange<Rank>(1, 30)};
}

/// As OperandBlocks adds up: the lower position's operand first, on either side.
std::string sum(Rank own, Rank other, const std::string& kept, const std::string& came) {
  return own < other ? "(" + kept + "+" + came + ")" : "(" + came + "+" + kept + ")";
}

RC_GTEST_PROP(LaneRadix, AllAddUpInOneOrder, ()) {
  const Laid laid = random_lanes();
  const Rounds rounds = laid.rounds();
  check_rounds(rounds, Collective::allreduce);
  std::vector<std::string> values;
  std::vector<std::unique_ptr<const BlockSchedule>> all;
  for (Rank position = 0; position < laid.ranks(); ++position) {
    values.push_back(std::to_string(position));
    all.push_back(rounds.schedule_of(position));
  }
  for (std::uint64_t round = 0; round < all.front()->rounds(1); ++round) {
    const std::vector<std::string> before = values;
    for (Rank position = 0; position < laid.ranks(); ++position) {
      const auto got = all[position]->receive(round, 1);
      if (!got) continue;
      values[position] =
          got->reduces ? sum(position, got->peer, before[position], before[got->peer]) : before[got->peer];
    }
  }
  RC_ASSERT(std::ranges::all_of(values, [&](const std::string& one) { return one == values.front(); }));
}

/// A rank has one transfer each way at most in a round, so the hops over the network are as many as rounds have any.
RC_GTEST_PROP(LaneRadix, GoesOverTheNetworkInFewRounds, ()) {
  const Laid laid = random_lanes();
  const RoundList list = list_of(laid.rounds());
  const std::vector<Rank> radices = lane_radices(laid.groups, laid.most);
  const Rank active = std::accumulate(radices.begin(), radices.end(), Rank{1}, std::multiplies());
  std::size_t hops = 0;
  for (const std::vector<Transfer>& round : list.rounds) {
    std::map<Rank, Rank> sent;  // by host
    for (const Transfer& one : round) {
      if (one.from / laid.lanes != one.to / laid.lanes) ++sent[one.from / laid.lanes];
    }
    if (!sent.empty()) ++hops;
    for (const auto& [host, times] : sent) RC_ASSERT(times < std::max(laid.most, Rank{2}));
  }
  RC_ASSERT(hops == radices.size() + (active < laid.groups ? 2 : 0));
}

/// Where to, and whether it adds: how often.
using Sends = std::map<std::tuple<Rank, Rank, bool>, Rank>;

/// Within groups only their number counts: it does not matter in which.
void count(Sends& sends, const GroupSends& one) {
  const Rank from = one.from == one.to ? 0 : one.from;
  const Rank to = one.from == one.to ? 0 : one.to;
  sends[{from, to, one.reduces}] += one.times;
}

RC_GTEST_PROP(LaneRadix, SaysWhatItsGroupsSend, ()) {
  const Laid laid = random_lanes();
  const Rounds rounds = laid.rounds();
  const auto first = rounds.schedule_of(0);
  RC_ASSERT(first->listed_groups() == laid.lanes);
  const RoundList list = list_of(rounds);
  for (std::uint64_t round = 0; round < list.rounds.size(); ++round) {
    Sends said;
    Sends made;
    for (const GroupSends& one : first->sent_by_groups(round)) count(said, one);
    for (const Transfer& one : list.rounds[round]) {
      count(made, {.from = one.from / laid.lanes, .to = one.to / laid.lanes, .reduces = one.reduces});
    }
    RC_ASSERT(said == made);
  }
}

/// However many ranks each host has.
RC_GTEST_PROP(LaneRadix, IsLaidOverAnyHosts, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Placement placement = testing::random_placement(cluster, 60);
  for (const char* const name : {"4-lane-radix", "16-lane-radix", "64-lane-radix"}) {
    check_plan(lay(Collective::allreduce, name, &cluster, placement, 0), Collective::allreduce);
  }
}

TEST(LaneRadix, GroupsHostsOfASwitchFirst) {
  const Cluster cluster = testing::star_of_switches(4, 6);
  const auto generator = [&](const char* name, unsigned ranks_a_host) {
    const Placement placement = block_placement(cluster, ranks_a_host);
    return rounds_of(lay(Collective::allreduce, name, &cluster, placement, 0)).generator;
  };
  EXPECT_EQ(generator("16-lane-radix", 8), "8x8-lane-radix");
  EXPECT_EQ(generator("4-lane-radix", 8), "8x4-lane-radix");
  EXPECT_EQ(generator("4-lane-radix", 2), "recursive-doubling");
  const RoundList list = list_of(generate_rounds("8x8-lane-radix", by_number(24 * 8, 0)));
  constexpr std::uint64_t first_exchange = 3;  // a host's ranks have their sum
  ASSERT_EQ(list.rounds[first_exchange].size(), 24U * 5);
  for (const Transfer& one : list.rounds[first_exchange]) {
    EXPECT_EQ(one.from / 48, one.to / 48) << "another switch";
    EXPECT_TRUE(one.replaces);
  }
}

}  // namespace
}  // namespace trunkline
