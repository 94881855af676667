// SPDX-License-Identifier: Apache-2.0
#include "network/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "network/fingerprint.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::brute_path;
using testing::random_parts;

Node host(std::string name, std::vector<std::string> aliases = {}) {
  return {.name = std::move(name), .kind = NodeKind::host, .aliases = std::move(aliases)};
}
Node network_switch(std::string name) { return {.name = std::move(name), .kind = NodeKind::network_switch}; }
Link link(NodeId a, NodeId b, double rate_bps = 1e8) {
  return {.a = a, .b = b, .rate_bps = rate_bps, .latency_s = 1e-5};
}

RC_GTEST_PROP(Paths, AreWhatASearchFinds, ()) {
  const Cluster cluster(random_parts(9, 12, *rc::gen::inRange(0, 4)));
  const auto nodes = static_cast<NodeId>(cluster.nodes().size());
  const auto u = *rc::gen::inRange<NodeId>(0, nodes);
  const auto v = *rc::gen::inRange<NodeId>(0, nodes);
  testing::EdgeSet edges;
  NodeId at = u;
  for (const ChannelId channel : cluster.path(u, v)) {
    RC_ASSERT(cluster.channel_from(channel) == at);
    at = cluster.channel_to(channel);
    edges.insert({cluster.nodes()[cluster.channel_from(channel)].name, cluster.nodes()[at].name});
  }
  RC_ASSERT(at == v);
  RC_ASSERT(edges == brute_path(cluster, u, v).value());
}

RC_GTEST_PROP(SpanningTree, LeavesOnlyLinksThatAreNoBetterThanTheWayRound, ()) {
  const Cluster cluster(random_parts(9, 4, 8));
  RC_ASSERT(cluster.links().size() - cluster.unused_links().size() == cluster.nodes().size() - 1);
  for (const LinkId id : cluster.unused_links()) {
    const Link& unused = cluster.links()[id];
    for (const ChannelId channel : cluster.path(unused.a, unused.b)) {
      const Link& used = cluster.link_of(channel);
      RC_ASSERT(used.rate_bps >= unused.rate_bps);
      if (used.rate_bps == unused.rate_bps) RC_ASSERT(used.width >= unused.width);
      if (used.rate_bps == unused.rate_bps && used.width == unused.width) {
        RC_ASSERT(used.latency_s <= unused.latency_s);
        RC_ASSERT(used.latency_s < unused.latency_s || channel / 2 < id);
      }
    }
  }
}

TEST(SpanningTree, PrefersFastLinksThenWideOnesThenShortOnesThenTheOrder) {
  Cluster::Parts parts{.name = "ring", .description = "", .nodes = {}, .links = {}};
  parts.nodes = {network_switch("a"), network_switch("b"), network_switch("c"), host("h")};
  parts.links = {link(0, 1, 1e8), link(1, 2, 1e9), link(2, 0, 1e8), link(3, 0)};
  EXPECT_EQ(Cluster(parts).unused_links(), std::vector<LinkId>{2});
  parts.links[0].latency_s = 1.0;
  EXPECT_EQ(Cluster(parts).unused_links(), std::vector<LinkId>{0});
  parts.links[0].width = 2;
  EXPECT_EQ(Cluster(parts).unused_links(), std::vector<LinkId>{2});
  parts.links[2].rate_bps = 1e7;
  parts.links[2].width = 100;
  const Cluster cluster(parts);
  EXPECT_EQ(cluster.unused_links(), std::vector<LinkId>{2});
  EXPECT_FALSE(cluster.links()[2].in_tree);
}

Cluster two_hosts() {
  return Cluster({.name = "two",
                  .description = "",
                  .nodes = {network_switch("s0"), host("node1", {"node1-eth.lab", "10.0.0.1"}),
                            host("node2.lab", {"n2.a.example", "192.168.0.2"}), host("node3.a"), host("node3.b")},
                  .links = {link(0, 1), link(0, 2), link(0, 3), link(0, 4)}});
}

TEST(FindHost, ByNameAliasAndShortForm) {
  const Cluster cluster = two_hosts();
  EXPECT_EQ(cluster.find_host("node1"), 0U);
  EXPECT_EQ(cluster.find_host("node1.anywhere.example"), 0U);
  EXPECT_EQ(cluster.find_host("node1-eth"), 0U);
  EXPECT_EQ(cluster.find_host("node2"), 1U);
  EXPECT_EQ(cluster.find_host("n2"), 1U);
  EXPECT_EQ(cluster.find_host("192.168.0.2"), 1U);
}

TEST(FindHost, InAnyCase) {
  const Cluster cluster = two_hosts();
  EXPECT_EQ(cluster.find_host("NODE1"), 0U);
  EXPECT_EQ(cluster.find_host("Node2.Lab"), 1U);
  EXPECT_EQ(cluster.find_host("N2.elsewhere"), 1U);
  EXPECT_EQ(cluster.find_host("NODE3.A"), 2U);
  EXPECT_EQ(cluster.find_host("NODE3"), std::nullopt);
  const Cluster alike({.name = "alike",
                       .description = "",
                       .nodes = {network_switch("s0"), host("node1"), host("NODE1")},
                       .links = {link(0, 1), link(0, 2)}});
  EXPECT_EQ(alike.find_host("node1"), 0U);
  EXPECT_EQ(alike.find_host("NODE1"), 1U);
  EXPECT_EQ(alike.find_host("Node1"), std::nullopt);
}

TEST(FindHost, SaysNothingWhereItIsUnknownOrAmbiguous) {
  const Cluster cluster = two_hosts();
  EXPECT_EQ(cluster.find_host("node3.a"), 2U);
  EXPECT_EQ(cluster.find_host("node3"), std::nullopt);
  EXPECT_EQ(cluster.find_host("node4"), std::nullopt);
  EXPECT_EQ(cluster.find_host(""), std::nullopt);
  EXPECT_EQ(cluster.find_host("s0"), std::nullopt);
  EXPECT_EQ(cluster.find_host("10.0.0.3"), std::nullopt);  // 10 is no short form of an address
}

TEST(Channels, HaveTwoEndsAndAName) {
  const Cluster cluster = two_hosts();
  EXPECT_EQ(cluster.channel_count(), 8U);
  EXPECT_EQ(cluster.channel_name(2), "s0->node2.lab");
  EXPECT_EQ(cluster.channel_name(3), "node2.lab->s0");
  EXPECT_EQ(cluster.switch_of(1), 0U);
  EXPECT_THROW(static_cast<void>(cluster.path(0, 99)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(cluster.switch_of(99)), std::out_of_range);
}

TEST(Fingerprint, IsTheSameForTheSameNetworkOnly) {
  Cluster::Parts parts{.name = "x", .description = "", .nodes = {}, .links = {}};
  parts.nodes = {network_switch("s0"), network_switch("s1"), host("a"), host("b")};
  parts.links = {link(0, 1), link(2, 0), link(3, 1)};
  const std::uint64_t original = Cluster(parts).fingerprint();

  Cluster::Parts same = parts;
  same.name = "other name";
  same.nodes[2].aliases = {"alias"};
  same.links = {link(1, 3), link(0, 1), link(0, 2)};  // host links turned round and in another order
  EXPECT_EQ(Cluster(same).fingerprint(), original);

  const auto changed = [&](auto change) {
    Cluster::Parts copy = parts;
    change(copy);
    return Cluster(copy).fingerprint();
  };
  EXPECT_NE(changed([](auto& p) { p.nodes[2].name = "c"; }), original);
  EXPECT_NE(changed([](auto& p) { p.links[0].rate_bps = 1e9; }), original);
  EXPECT_NE(changed([](auto& p) { p.links[1].latency_s = 2e-5; }), original);
  EXPECT_NE(changed([](auto& p) { p.links[1].b = 1; }), original);
  EXPECT_NE(changed([](auto& p) { std::swap(p.nodes[2], p.nodes[3]); }), original);
  const std::uint64_t wide_trunk = changed([](auto& p) { p.links[0].width = 2; });
  const std::uint64_t wide_host = changed([](auto& p) { p.links[2].width = 2; });
  EXPECT_NE(wide_trunk, original);
  EXPECT_NE(wide_host, original);
  EXPECT_NE(wide_trunk, wide_host);
  EXPECT_NE(changed([](auto& p) { p.links[0].width = 3; }), wide_trunk);
}

TEST(Fingerprint, OfTheTopologyKnowsNeitherRatesNorWidths) {
  Cluster::Parts parts{.name = "x", .description = "", .nodes = {}, .links = {}};
  parts.nodes = {network_switch("s0"), network_switch("s1"), host("a"), host("b")};
  parts.links = {link(0, 1), link(2, 0), link(3, 1)};
  const std::uint64_t original = topology_fingerprint(Cluster(parts));
  parts.links[0].width = 4;
  parts.links[1].rate_bps = 1e9;
  EXPECT_EQ(topology_fingerprint(Cluster(parts)), original);
  parts.links[1].b = 1;
  EXPECT_NE(topology_fingerprint(Cluster(parts)), original);
}

std::string complaint(std::vector<Node> nodes, std::vector<Link> links) {
  try {
    const Cluster cluster({.name = "x", .description = "", .nodes = std::move(nodes), .links = std::move(links)});
  } catch (const std::invalid_argument& invalid) {
    return invalid.what();
  }
  return "";
}

TEST(Construction, RefusesWhatIsNoNetwork) {
  const Node s0 = network_switch("s0");
  EXPECT_EQ(complaint({s0, host("a")}, {link(0, 1)}), "");
  EXPECT_EQ(complaint({}, {}), "the cluster has no hosts");
  EXPECT_EQ(complaint({s0}, {}), "the cluster has no hosts");
  EXPECT_EQ(complaint({s0, host("a")}, {}), "host a has no link; give its switch");
  EXPECT_EQ(complaint({s0, host("a")}, {link(0, 1), link(1, 0)}),
            "host a has 2 links; a host has one, so keep one and make a switch of it if it forwards");
  EXPECT_EQ(complaint({s0, host("s0")}, {link(0, 1)}),
            "name s0 belongs to another node already; every name and alias stands for one node");
  EXPECT_EQ(complaint({s0, host("a", {"s0"})}, {link(0, 1)}),
            "alias s0 belongs to another node already; every name and alias stands for one node");
  EXPECT_EQ(complaint({s0, host("a", {"a"})}, {link(0, 1)}), "alias a is given to its node already; leave it out");
  EXPECT_EQ(complaint({s0, host("a b")}, {link(0, 1)}),
            "\"a b\" is no name; names hold letters, digits and . _ - : / + @ only");
  EXPECT_EQ(complaint({s0, host("")}, {link(0, 1)}), "an empty name; give every node one");
  EXPECT_EQ(complaint({s0, host(std::string(300, 'x'))}, {link(0, 1)}),
            "a name of 300 characters; at most 255 are allowed");
  EXPECT_EQ(complaint({s0, host("a")}, {link(0, 1, 0.0)}), "s0 - a: the rate must be above zero");
  EXPECT_EQ(complaint({s0, host("a")}, {{.a = 0, .b = 1, .rate_bps = 1.0, .latency_s = -1.0}}),
            "s0 - a: the latency must be zero or more");
  Link wide = link(0, 1);
  wide.width = 0;
  EXPECT_EQ(complaint({s0, host("a")}, {wide}), "s0 - a: the links side by side must be one or more");
  EXPECT_EQ(complaint({s0, host("a")}, {link(0, 1), link(0, 0)}), "a link from s0 to itself; name two nodes");
  EXPECT_EQ(complaint({s0, host("a")}, {link(0, 7)}), "link 0 ends at a node that is not there");
  EXPECT_EQ(complaint({host("b"), host("a")}, {link(0, 1)}), "b - a joins two hosts; hosts hang on a switch");
  EXPECT_EQ(
      complaint({s0, host("a"), network_switch("s1"), host("b"), host("c")}, {link(0, 1), link(2, 3), link(2, 4)}),
      "the cluster is in pieces: no link joins s0, a to the rest (s1, b, c); add the link that is missing");
}

}  // namespace
}  // namespace trunkline
