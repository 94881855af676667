// SPDX-License-Identifier: Apache-2.0
// Phases of an alltoall: every pair once, no link with more than it has room for, and few phases; other orders of
// pairs.
#include "algorithms/rounds/pair_phases.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "algorithms/rounds/dealt.hpp"
#include "algorithms/rounds/pair_ring.hpp"
#include "algorithms/trees/linear.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "network/capacity.hpp"
#include "network/link_taken.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"

namespace trunkline {
namespace {

using LinkOfMany = std::pair<ChannelId, std::uint32_t>;

std::vector<LinkOfMany> links_of(const Cluster& cluster, const Placement& placement, const PairMessage& message) {
  std::vector<LinkOfMany> links;
  const HostIndex from = placement[message.from];
  const HostIndex to = placement[message.to];
  if (from == to) return links;
  for (const ChannelId channel : cluster.path(cluster.hosts()[from], cluster.hosts()[to])) {
    links.emplace_back(channel, link_taken(from, to, cluster.link_of(channel).width));
  }
  return links;
}

std::vector<PairRound> phases_on(const Cluster& cluster, const Placement& placement) {
  return pair_phases(cluster, placement, depth_first_order(cluster, placement, 0));
}

RC_GTEST_PROP(PairPhases, HaveEveryPairOnceAndNoLinkTooFull, ()) {
  const Cluster cluster(testing::random_parts(6, 12));
  const Placement placement = testing::random_placement(cluster, 16);
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  std::set<std::pair<Rank, Rank>> pairs;
  for (const PairRound& round : phases_on(cluster, placement)) {
    RC_ASSERT(!round.empty());
    std::set<Rank> senders;
    std::set<Rank> receivers;
    std::map<LinkOfMany, std::uint32_t> loads;
    for (const PairMessage& one : round) {
      RC_ASSERT(senders.insert(one.from).second);
      RC_ASSERT(receivers.insert(one.to).second);
      RC_ASSERT(pairs.emplace(one.from, one.to).second);
      for (const LinkOfMany& link : links_of(cluster, placement, one)) ++loads[link];
    }
    for (const auto& [link, load] : loads) RC_ASSERT(load <= capacities[link.first / 2]);
  }
  RC_ASSERT(pairs.size() == placement.size() * (placement.size() - 1));
}

/// A tree of switches with links of one rate.
Cluster tree_of(std::mt19937& random) {
  const NodeId switches = 1 + static_cast<NodeId>(random() % 8);
  const NodeId hosts = 3 + static_cast<NodeId>(random() % 25);
  Cluster::Parts parts{.name = "tree", .description = "", .nodes = {}, .links = {}};
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0) parts.links.push_back({static_cast<NodeId>(random() % id), id, 100e6, 10e-6});
  }
  for (NodeId host = 0; host < hosts; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    parts.links.push_back({static_cast<NodeId>(random() % switches), switches + host, 100e6, 10e-6});
  }
  return Cluster(std::move(parts));
}

TEST(PairPhases, AreAsFewAsTheFullestLinkHasMessages) {
  int more = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const Cluster cluster = tree_of(random);
    const Placement placement = block_placement(cluster, 1 + static_cast<Rank>(random() % 3));
    const std::vector<PairRound> phases = phases_on(cluster, placement);
    std::map<LinkOfMany, std::size_t> loads;
    for (const PairRound& round : phases) {
      for (const PairMessage& one : round) {
        for (const LinkOfMany& link : links_of(cluster, placement, one)) ++loads[link];
      }
    }
    std::size_t fullest = placement.size() - 1;
    for (const auto& [link, load] : loads) fullest = std::max(fullest, load);
    EXPECT_LE(phases.size(), fullest + fullest / 20) << seed;
    more += phases.size() > fullest ? 1 : 0;
  }
  EXPECT_LE(more, 8);
}

/// A rank that sends to the one `d` places behind sends `d` strides further in rows. Those next to each other are a
/// quarter of all apart, also from the last one to the first of the next slice, so that not both are near the middle,
/// where links are full.
RC_GTEST_PROP(Dealt, IsAStrideThatKeepsFullRoundsApart, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 400);
  std::vector<Rank> in_rows(ranks);
  std::iota(in_rows.begin(), in_rows.end(), Rank{0});
  const std::vector<Rank> order = dealt(in_rows);
  RC_ASSERT(std::set<Rank>(order.begin(), order.end()).size() == ranks);
  for (Rank at = 0; at + 1 < ranks; ++at) {
    RC_ASSERT((order[at + 1] + ranks - order[at]) % ranks == order[1]);
  }
  if (ranks > 20) RC_ASSERT(4 * order[1] >= ranks && 2 * order[1] <= ranks);
}

/// Nor does any wait for what is not sent until it has sent itself.
RC_GTEST_PROP(PairRing, KeepsEachRankInStepWithWhatItReceives, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 40);
  const auto position = *rc::gen::inRange<Rank>(0, ranks);
  const PairRing ring(ranks, position);
  std::set<Rank> peers;
  for (std::uint64_t round = 0; round < ring.rounds(0); ++round) {
    const auto sent = ring.send(round, 0);
    RC_ASSERT(sent.has_value());
    RC_ASSERT(peers.insert(sent->peer).second);
    RC_ASSERT(sent->needs == (round < pair_lead ? no_round : round - pair_lead));
    RC_ASSERT(PairRing(ranks, sent->peer).receive(round, 0)->peer == position);
  }
  RC_ASSERT(peers.size() == ranks - 1U);
}

RC_GTEST_PROP(PairPhases, KeepThePromise, ()) {
  const Cluster cluster(testing::random_parts(5, 10));
  const Placement placement = testing::random_placement(cluster, 12);
  for (const char* const name : {"phases", "ring", "by-hosts"}) {
    check_plan(lay(Collective::alltoall, name, &cluster, placement, 0), Collective::alltoall);
  }
}

/// Ranks dealt over hosts, so that those of a host have no neighbouring numbers.
RC_GTEST_PROP(PairsByHosts, SendOneMessageFromEachHostToEachOtherOne, ()) {
  const Cluster cluster(testing::random_parts(5, 10));
  const Placement placement = testing::random_placement(cluster, 24);
  const Plan plan = lay(Collective::alltoall, "by-hosts", &cluster, placement, 0);
  std::map<std::pair<HostIndex, HostIndex>, std::vector<Transfer>> sent;
  std::map<HostIndex, std::set<Rank>> talkers;
  for (const std::vector<Transfer>& round : list_of(rounds_of(plan)).rounds) {
    for (const Transfer& one : round) {
      if (placement[one.from] == placement[one.to]) continue;
      sent[{placement[one.from], placement[one.to]}].push_back(one);
      talkers[placement[one.from]].insert(one.from);
    }
  }
  const std::set<HostIndex> hosts(placement.begin(), placement.end());
  RC_ASSERT(sent.size() == hosts.size() * (hosts.size() - 1));
  for (const auto& [ends, messages] : sent) {
    const auto ranks_on = [&](HostIndex host) { return std::ranges::count(placement, host); };
    RC_ASSERT(messages.size() == 1U);
    RC_ASSERT(messages.front().blocks().blocks() ==
              static_cast<std::uint64_t>(ranks_on(ends.first) * ranks_on(ends.second)));
  }
  for (const auto& [host, ranks] : talkers) RC_ASSERT(ranks.size() == 1U);
}

RC_GTEST_PROP(BlockRows, OverlapWhereTheyHaveABlockInCommon, ()) {
  const auto any = [] {
    BlockRows one{.first = *rc::gen::inRange<std::uint64_t>(0, 30), .count = *rc::gen::inRange<std::uint64_t>(1, 5)};
    one.rows = *rc::gen::inRange<std::uint64_t>(1, 5);
    if (one.rows > 1) one.stride = one.count + *rc::gen::inRange<std::uint64_t>(0, 7);
    return one;
  };
  const auto blocks_of = [](const BlockRows& rows) {
    std::set<std::uint64_t> all;
    for (std::uint64_t i = 0; i < rows.blocks(); ++i) {
      all.insert(rows.first + i / rows.count * rows.stride + i % rows.count);
    }
    return all;
  };
  const BlockRows one = any();
  const BlockRows other = any();
  const std::set<std::uint64_t> of_other = blocks_of(other);
  RC_ASSERT(one.overlaps(other) ==
            std::ranges::any_of(blocks_of(one), [&](std::uint64_t block) { return of_other.contains(block); }));
  RC_ASSERT(one.end() == *blocks_of(one).rbegin() + 1);
}

void expect_written_and_read_again(const Plan& plan) {
  std::string text =
      "trunkline: plan/1\ncollective: alltoall\nshape: custom\nranks: " + std::to_string(plan.ranks()) + "\nroot: 0\n";
  plan.steps().write(text);
  EXPECT_NE(text.find("lead: " + std::to_string(pair_lead)), std::string::npos);
  const std::uint64_t blocks = std::uint64_t{plan.ranks()} * plan.ranks();
  const Plan read = parse_plan(text, "f").plan;
  EXPECT_EQ(list_of(rounds_of(read)), list_of(rounds_of(plan)));
  for (Rank position = 0; position < plan.ranks(); ++position) {
    const auto written = rounds_of(plan).schedule_of(position);
    const auto again = rounds_of(read).schedule_of(position);
    for (std::uint64_t round = 0; round < written->rounds(blocks); ++round) {
      const auto one = written->send(round, blocks);
      const auto other = again->send(round, blocks);
      ASSERT_EQ(one.has_value(), other.has_value());
      if (!one) continue;
      EXPECT_EQ(one->needs, other->needs);
    }
  }
}

TEST(PairPhases, AreWrittenAndReadAgain) {
  const Cluster cluster = testing::star_of_switches(3, 3);
  expect_written_and_read_again(lay(Collective::alltoall, "phases", &cluster, block_placement(cluster, 1), 0));
  Placement dealt;
  for (Rank rank = 0; rank < 18; ++rank) dealt.push_back(rank % 9);
  expect_written_and_read_again(lay(Collective::alltoall, "by-hosts", &cluster, dealt, 0));
}

TEST(PairPhases, BlocksWhoseLengthsNoOtherRankKnowsGoStraightOn) {
  const Cluster cluster = testing::star_of_switches(3, 3);
  const Placement placement = block_placement(cluster, 2);
  const Plan straight = lay(Collective::alltoall, "phases", &cluster, placement, 0);
  check_plan(straight, Collective::alltoallv);
  const Plan by_hosts = lay(Collective::alltoall, "by-hosts", &cluster, placement, 0);
  try {
    check_plan(by_hosts, Collective::alltoallv);
    FAIL() << "accepted";
  } catch (const InvalidPlan& fault) {
    EXPECT_NE(std::string(fault.what()).find("ranks between would not know how long others are"), std::string::npos)
        << fault.what();
  }
}

}  // namespace
}  // namespace trunkline
