// SPDX-License-Identifier: Apache-2.0
// Where groups meet by their places, what all of them do is known without looking at any: beside replays of every rank.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "algorithms/rounds/generators.hpp"
#include "model/transfer/host_meetings.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using All = std::vector<std::unique_ptr<const BlockSchedule>>;

All random_meetings() {
  const auto lanes = *rc::gen::inRange<Rank>(1, 13);
  const auto groups = *rc::gen::inRange<Rank>(2, 40);
  const auto generator = *rc::gen::element<std::string>("-allgather-lane-direct", "-reduce-scatter-lane-direct");
  const Schedules schedules = generate_schedules(std::to_string(lanes) + generator, lanes * groups);
  All all;
  for (Rank position = 0; position < lanes * groups; ++position) all.push_back(schedules(position));
  return all;
}

RC_GTEST_PROP(HostMeetings, AreWhatAllRanksDo, ()) {
  const All all = random_meetings();
  const std::uint64_t blocks = *all.front()->fixed_blocks();
  const PlacedGroups groups = *all.front()->placed_groups();
  RC_ASSERT(groups.places.size() * groups.size == all.size());
  for (std::uint64_t round = 0; round < all.front()->rounds(blocks); ++round) {
    std::map<std::uint64_t, std::uint64_t> within;  // by blocks
    std::set<std::pair<Rank, Rank>> met;
    bool follows = round > 0;
    const GroupRound told = all.front()->group_round(round);
    for (Rank position = 0; position < all.size(); ++position) {
      const auto send = all[position]->send(round, blocks);
      if (!send) continue;
      RC_ASSERT(send->reduces == told.reduces);
      follows = follows && (send->needs == no_round || send->needs + 1 < round);
      const Rank from = position / groups.size;
      const Rank to = send->peer / groups.size;
      if (from == to) {
        ++within[send->count];
        continue;
      }
      RC_ASSERT(send->count == told.met_blocks);
      RC_ASSERT(met.emplace(from, to).second);
    }
    std::map<std::uint64_t, std::uint64_t> told_within;
    for (const auto& [of, times] : told.within) told_within[of] += times;
    RC_ASSERT(told_within == within);
    RC_ASSERT(told.meeting || met.empty());
    for (Rank from = 0; from < groups.places.size() && told.meeting; ++from) {
      for (Rank to = 0; to < groups.places.size(); ++to) {
        const bool meet = from != to && (groups.places[from] + groups.places[to]) % groups.count == *told.meeting;
        RC_ASSERT(met.contains({from, to}) == meet);
      }
    }
    if (!within.empty() || !met.empty()) RC_ASSERT(told.follows == follows);
  }
}

/// A cluster of hosts of several sorts, with links side by side and links that differ by direction.
Cluster::Parts random_network() {
  Cluster::Parts parts = testing::random_parts(6, 40);
  for (Node& node : parts.nodes) {
    if (node.kind == NodeKind::host && *rc::gen::inRange(0, 6) == 0) node.injection_s = 2e-6;
  }
  const bool any_back = *rc::gen::arbitrary<bool>();
  for (Link& link : parts.links) {
    if (any_back && *rc::gen::inRange(0, 5) == 0) link.back = OneWay{link.rate_bps / 2, link.latency_s * 3};
  }
  return parts;
}

RC_GTEST_PROP(HostMeetings, TakeWhatTheirTransfersTake, ()) {
  const Cluster cluster(random_network());
  const Paths paths(cluster);
  const auto count = *rc::gen::inRange<Rank>(1, 9);
  Placement placement;
  std::vector<NodeId> hosts;
  std::vector<Rank> places;
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    if (*rc::gen::inRange(0, 5) == 0) continue;
    placement.push_back(host);
    hosts.push_back(cluster.hosts()[host]);
    places.push_back(*rc::gen::inRange<Rank>(0, count));
  }
  if (hosts.size() < 2) return;
  constexpr double amount = 1.0 / 64.0;
  const HostMeetings meetings(paths, hosts, places, count, amount);
  if (!meetings.are_known()) {
    RC_ASSERT(paths.any_wide() || paths.routes() != nullptr || paths.any_tcp_window());
    return;
  }
  const std::vector<Rank> order = by_number(static_cast<Rank>(hosts.size()), 0);
  TimedRound round(paths, placement, order);
  for (Rank number = 0; number < count; ++number) {
    for (Rank from = 0; from < hosts.size(); ++from) {
      for (Rank to = 0; to < hosts.size(); ++to) {
        if (from != to && (places[from] + places[to]) % count == number) round.transfer(from, to, amount);
      }
    }
    const TimedRound::Loads one_by_one = round.loads(false, false);
    const TimedRound::Loads& together = meetings.loads(number);
    RC_ASSERT(together.transfers == one_by_one.transfers);
    RC_ASSERT(together.amounts == one_by_one.amounts);
    RC_ASSERT(together.most_amount == one_by_one.most_amount);
    RC_ASSERT(together.most_alone_byte_s == one_by_one.most_alone_byte_s);
    RC_ASSERT(together.seconds_per_byte == one_by_one.seconds_per_byte);
    RC_ASSERT(together.most_latency_s == one_by_one.most_latency_s);
    RC_ASSERT(together.shortest_latency_s == one_by_one.shortest_latency_s);
    RC_ASSERT(together.most_frame_byte_s == one_by_one.most_frame_byte_s);
    RC_ASSERT(together.local_transfers == 0.0);
  }
}

/// Links side by side count evenly where many flows cross them, as for all transfers one by one; else nothing is known.
TEST(HostMeetings, KnowLinksSideBySideOfManyFlows) {
  Cluster::Parts parts{.name = "wide", .description = "", .nodes = {}, .links = {}};
  constexpr NodeId switches = 3;
  constexpr NodeId each = 100;
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0) parts.links.push_back({.a = 0, .b = id, .rate_bps = 1e9, .width = 4});
  }
  for (NodeId host = 0; host < switches * each; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    parts.links.push_back({.a = host / each, .b = switches + host, .rate_bps = 1e9});
  }
  const Cluster cluster(std::move(parts));
  const Paths paths(cluster);
  const std::vector<NodeId> hosts(cluster.hosts().begin(), cluster.hosts().end());
  std::vector<Rank> few(hosts.size(), 0);
  std::vector<Rank> many(hosts.size(), 0);
  for (std::size_t at = 0; at < hosts.size(); ++at) {
    few[at] = static_cast<Rank>(at);
    many[at] = static_cast<Rank>(at % 4);
  }
  EXPECT_FALSE(HostMeetings(paths, hosts, few, each * switches, 1.0).are_known());
  EXPECT_TRUE(HostMeetings(paths, hosts, many, 4, 1.0).are_known());
}

}  // namespace
}  // namespace trunkline
