// SPDX-License-Identifier: Apache-2.0
// Flows on links side by side: whichever of them a switch picks, plans without contention stay so.
#include "network/link_taken.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>

#include "algorithms/registry.hpp"
#include "algorithms/trees/linear.hpp"
#include "network/capacity.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

/// The ranks that send on each link of each channel, where a switch may pick any link for two hosts.
using Senders = std::map<std::pair<ChannelId, std::uint32_t>, std::set<Rank>>;

Senders senders_of(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  std::map<std::tuple<ChannelId, HostIndex, HostIndex>, std::uint32_t> picked;  // a hash, drawn where it is needed
  Senders senders;
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    for (const Rank child : tree.children[rank]) {
      const HostIndex from = placement[rank];
      const HostIndex to = placement[child];
      for (const ChannelId channel : cluster.path(cluster.hosts()[from], cluster.hosts()[to])) {
        const auto [pick, is_new] = picked.try_emplace({channel, from, to}, 0);
        if (is_new) pick->second = *rc::gen::inRange<std::uint32_t>(0, cluster.link_of(channel).width);
        senders[{channel, pick->second}].insert(rank);
      }
    }
  }
  return senders;
}

RC_GTEST_PROP(LinksSideBySide, CarryNoMoreSendersOfAPlanWithoutContentionThanTheyHoldWhateverTheHash, ()) {
  const Cluster cluster(testing::random_parts(9, 20, *rc::gen::inRange(0, 4)));
  const Placement placement = testing::random_placement(cluster, 24);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const Tree tree = *rc::gen::arbitrary<bool>() ? linear_tree(cluster, placement, root)
                                                : testing::random_tree(static_cast<Rank>(placement.size()), root);
  RC_PRE(contention_of(cluster, placement, tree).contention_free);
  const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
  for (const auto& [link, senders] : senders_of(cluster, placement, tree)) {
    RC_ASSERT(senders.size() <= capacities[link.first / 2]);
  }
}

TEST(LinkTaken, IsOneOfThem) {
  for (HostIndex from = 0; from < 40; ++from) {
    EXPECT_EQ(link_taken(from, from + 1, 1), 0U);
    for (HostIndex to = 0; to < 40; ++to) EXPECT_LT(link_taken(from, to, 3), 3U);
  }
}

TEST(LinkTaken, IsEven) {
  constexpr HostIndex hosts = 64;
  for (const std::uint32_t width : {2U, 3U, 4U, 8U}) {
    std::vector<unsigned> flows(width, 0);
    for (HostIndex from = 0; from < hosts; ++from) {
      for (HostIndex to = 0; to < hosts; ++to) flows[link_taken(from, to, width)] += from != to ? 1 : 0;
    }
    for (const unsigned here : flows) EXPECT_NEAR(here, hosts * (hosts - 1.0) / width, 0.15 * hosts * hosts / width);
  }
}

}  // namespace
}  // namespace trunkline
