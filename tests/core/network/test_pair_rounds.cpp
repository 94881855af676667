// SPDX-License-Identifier: Apache-2.0
// Which pairs of hosts are measured, and when: against brute force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "network/file/cluster_file.hpp"
#include "network/pair_rounds.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;

std::vector<HostIndex> first_hosts(std::size_t count) {
  std::vector<HostIndex> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(PairRounds, AreAllPairsWhereTheyAreFew) {
  const Cluster cluster = testing::one_switch(4);
  const auto pairs = pairs_to_measure(cluster, first_hosts(4), 100);
  EXPECT_THAT(pairs, ElementsAre(HostPair{0, 1}, HostPair{0, 2}, HostPair{0, 3}, HostPair{1, 2}, HostPair{1, 3},
                                 HostPair{2, 3}));
  EXPECT_THAT(rounds_of_pairs(cluster, pairs),
              ElementsAre(ElementsAre(HostPair{0, 1}, HostPair{2, 3}), ElementsAre(HostPair{0, 2}, HostPair{1, 3}),
                          ElementsAre(HostPair{0, 3}, HostPair{1, 2})));
}

TEST(PairRounds, OfOneHostOrNoneThereAreNone) {
  const Cluster cluster = testing::one_switch(4);
  EXPECT_THAT(pairs_to_measure(cluster, first_hosts(1), 0), ElementsAre());
  EXPECT_THAT(pairs_to_measure(cluster, {}, 5), ElementsAre());
  EXPECT_THAT(rounds_of_pairs(cluster, {}), ElementsAre());
}

TEST(PairRounds, ASampleOfAHundredThousandPairsIsAsLargeAsAsked) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: x\ndefaults: {rate: 1Gbit}\nswitches: [c, 'r[0-9]']\n"
      "hosts: [{hosts: 'h[0-499]', switches: 'r[0-9]', deal: 1}]\n"
      "links: [{between: [c, r0]}, {between: [c, r1]}, {between: [c, r2]}, {between: [c, r3]}, {between: [c, r4]},\n"
      "        {between: [c, r5]}, {between: [c, r6]}, {between: [c, r7]}, {between: [c, r8]}, {between: [c, r9]}]\n",
      "x");
  const auto pairs = pairs_to_measure(cluster, first_hosts(500), 2000);
  EXPECT_EQ(pairs.size(), 2000U);
  EXPECT_EQ(pairs_to_measure(cluster, first_hosts(500), 2000), pairs);
  EXPECT_LT(pairs_to_measure(cluster, first_hosts(500), 0).size(), 2 * 500 + 4 * 10 + 1);
}

/// Links that lie between two hosts that take part, by all their pairs.
std::set<LinkId> links_between(const Cluster& cluster, const std::vector<HostIndex>& hosts) {
  std::set<LinkId> links;
  for (const HostIndex a : hosts) {
    for (const HostIndex b : hosts) {
      for (const ChannelId id : cluster.path(cluster.hosts()[a], cluster.hosts()[b])) links.insert(id / 2);
    }
  }
  return links;
}

std::set<LinkId> links_crossed(const Cluster& cluster, const std::vector<HostPair>& pairs) {
  std::set<LinkId> links;
  for (const auto& [a, b] : pairs) {
    for (const ChannelId id : cluster.path(cluster.hosts()[a], cluster.hosts()[b])) links.insert(id / 2);
  }
  return links;
}

RC_GTEST_PROP(PairRounds, CrossEveryLinkAndDisturbNobody, ()) {
  const Cluster cluster(testing::random_parts(8, 20, *rc::gen::inRange(0, 3)));
  std::vector<HostIndex> hosts;
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    if (*rc::gen::inRange(0, 4) > 0) hosts.push_back(host);
  }
  const auto most = *rc::gen::inRange<std::size_t>(0, 60);
  const auto pairs = pairs_to_measure(cluster, hosts, most);
  for (const auto& [a, b] : pairs) {
    RC_ASSERT(a < b);
    RC_ASSERT(std::ranges::count(hosts, a) == 1);
    RC_ASSERT(std::ranges::count(hosts, b) == 1);
  }
  RC_ASSERT(std::set(pairs.begin(), pairs.end()).size() == pairs.size());
  RC_ASSERT(links_crossed(cluster, pairs) == links_between(cluster, hosts));
  RC_ASSERT(pairs.size() >= std::min(most, hosts.size() * (hosts.size() - std::min<std::size_t>(1, hosts.size())) / 2));

  std::multiset<HostPair> in_rounds;
  for (const auto& round : rounds_of_pairs(cluster, pairs)) {
    RC_ASSERT(!round.empty());
    std::map<LinkId, int> uses;
    for (const auto& [a, b] : round) {
      in_rounds.emplace(a, b);
      for (const ChannelId id : cluster.path(cluster.hosts()[a], cluster.hosts()[b])) {
        RC_ASSERT(++uses[id / 2] == 1);
      }
    }
  }
  RC_ASSERT(in_rounds == std::multiset<HostPair>(pairs.begin(), pairs.end()));
}

}  // namespace
}  // namespace trunkline
