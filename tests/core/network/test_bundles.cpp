// SPDX-License-Identifier: Apache-2.0
// Equal-cost paths as bundles: paths of the given network counted one by one, and even flows sent over them.
#include "network/bundles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>

#include "network/fingerprint.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Shape {
  Cluster::Parts parts{.name = "x", .description = "", .nodes = {}, .links = {}, .paths = UsedPaths::equal_cost};

  NodeId add_switch(const std::string& name) {
    parts.nodes.push_back({.name = name, .kind = NodeKind::network_switch});
    return static_cast<NodeId>(parts.nodes.size() - 1);
  }
  void link(NodeId a, NodeId b, double rate_bps = 1e9, std::uint32_t width = 1, double latency_s = 1e-6) {
    parts.links.push_back({.a = a, .b = b, .rate_bps = rate_bps, .latency_s = latency_s, .width = width});
  }
  void hosts(NodeId below, unsigned count) {
    for (unsigned host = 0; host < count; ++host) {
      parts.nodes.push_back({.name = "h" + std::to_string(parts.nodes.size()), .kind = NodeKind::host});
      link(static_cast<NodeId>(parts.nodes.size() - 1), below);
    }
  }
  /// Links in any order, so that nothing depends on it.
  void shuffle() {
    for (std::size_t i = parts.links.size(); i > 1; --i) {
      std::swap(parts.links[i - 1], parts.links[*rc::gen::inRange<std::size_t>(0, i)]);
    }
  }
};

Shape leaf_spine(unsigned spines, unsigned leaves, double rate_bps, std::uint32_t width) {
  Shape shape;
  for (unsigned spine = 0; spine < spines; ++spine) shape.add_switch("spine-" + std::to_string(spine));
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    const NodeId here = shape.add_switch("leaf-" + std::to_string(leaf));
    for (NodeId spine = 0; spine < spines; ++spine) shape.link(spine, here, rate_bps, width);
    shape.hosts(here, 2);
  }
  return shape;
}

/// Of ports k: k pods of k / 2 edge and k / 2 aggregation switches, (k / 2)^2 cores (Leiserson; Al-Fares and others).
Shape fat_tree(unsigned k) {
  Shape shape;
  const unsigned half = k / 2;
  std::vector<NodeId> cores;
  for (unsigned core = 0; core < half * half; ++core) cores.push_back(shape.add_switch("core" + std::to_string(core)));
  for (unsigned pod = 0; pod < k; ++pod) {
    std::vector<NodeId> upper;
    for (unsigned at = 0; at < half; ++at) {
      upper.push_back(shape.add_switch("agg" + std::to_string(pod) + "-" + std::to_string(at)));
      for (unsigned core = 0; core < half; ++core) shape.link(upper.back(), cores[at * half + core]);
    }
    for (unsigned at = 0; at < half; ++at) {
      const NodeId edge = shape.add_switch("edge" + std::to_string(pod) + "-" + std::to_string(at));
      for (const NodeId above : upper) shape.link(edge, above);
      shape.hosts(edge, half);
    }
  }
  return shape;
}

/// Leaves below layers of switches without hosts, joined at random; parallel links, widths and rates too.
Shape any_network() {
  Shape shape;
  const auto leaves = *rc::gen::inRange(1U, 5U);
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    shape.hosts(shape.add_switch("leaf" + std::to_string(leaf)), 1);
  }
  const NodeId first = static_cast<NodeId>(shape.parts.nodes.size());
  const auto others = *rc::gen::inRange(1U, 9U);
  const auto density = *rc::gen::inRange(1, 4);  // of four
  const auto rate = [] { return *rc::gen::element(1e9, 1e9, 1e9, 4e9); };
  for (unsigned other = 0; other < others; ++other) {
    const NodeId here = shape.add_switch("t" + std::to_string(other));
    bool joined = false;
    for (NodeId node = 0; node < here; ++node) {
      if (shape.parts.nodes[node].kind == NodeKind::host || *rc::gen::inRange(0, 4) >= density) continue;
      shape.link(here, node, rate(), *rc::gen::element(1U, 1U, 2U));
      joined = true;
    }
    if (!joined) shape.link(here, first > 1 ? 0 : here - 1, rate());
  }
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    shape.link(first, 2 * leaf, rate());  // in one piece
  }
  shape.shuffle();
  return shape;
}

/// Tiers of switches, each joined to some of the tier below, the first to all: long ways up and down again.
Shape tiers() {
  Shape shape;
  std::vector<NodeId> below;
  for (unsigned leaf = *rc::gen::inRange(2U, 5U); leaf > 0; --leaf) {
    below.push_back(shape.add_switch("leaf" + std::to_string(leaf)));
    shape.hosts(below.back(), 1);
  }
  for (unsigned tier = *rc::gen::inRange(1U, 5U); tier > 0; --tier) {
    std::vector<NodeId> here;
    for (unsigned at = *rc::gen::inRange(1U, 4U); at > 0; --at) {
      here.push_back(shape.add_switch("t" + std::to_string(tier) + "-" + std::to_string(at)));
      const bool joins_all = at == 1 && tier == 1;  // in one piece
      const std::size_t at_least = *rc::gen::inRange<std::size_t>(0, below.size());
      for (std::size_t place = 0; place < below.size(); ++place) {
        if (joins_all || place == at_least || *rc::gen::inRange(0, 3) == 0) shape.link(below[place], here.back());
      }
    }
    below.insert(below.begin(), here.begin(), here.end());
    if (below.size() > 6) below.resize(6);
  }
  shape.shuffle();
  return shape;
}

/// Links to every node of the network from one of them, over as few as can be.
std::vector<unsigned> distances(const Cluster::Parts& parts, NodeId from) {
  constexpr unsigned far = 1U << 20U;
  std::vector<unsigned> away(parts.nodes.size(), far);
  std::deque<NodeId> queue{from};
  away[from] = 0;
  while (!queue.empty()) {
    const NodeId node = queue.front();
    queue.pop_front();
    for (const Link& link : parts.links) {
      if (link.a != node && link.b != node) continue;
      const NodeId other = link.a == node ? link.b : link.a;
      if (away[other] != far) continue;
      away[other] = away[node] + 1;
      queue.push_back(other);
    }
  }
  return away;
}

/// What each link carries of one unit that goes from a node to another over all shortest paths, shared evenly among the
/// links of each node on the way, a wide one being as many.
std::map<LinkId, double> even_flow(const Cluster::Parts& parts, NodeId from, NodeId to) {
  const std::vector<unsigned> away = distances(parts, to);
  std::map<NodeId, double> here{{from, 1.0}};
  std::map<LinkId, double> carried;
  for (unsigned left = away[from]; left > 0; --left) {
    std::map<NodeId, double> next;
    for (const auto& [node, amount] : here) {
      double width = 0.0;
      std::vector<std::pair<LinkId, NodeId>> ways;
      for (LinkId id = 0; id < parts.links.size(); ++id) {
        const Link& link = parts.links[id];
        if (link.a != node && link.b != node) continue;
        const NodeId other = link.a == node ? link.b : link.a;
        if (away[other] != left - 1) continue;
        width += link.width;
        ways.emplace_back(id, other);
      }
      for (const auto& [id, other] : ways) {
        carried[id] += amount * parts.links[id].width / width;
        next[other] += amount * parts.links[id].width / width;
      }
    }
    here = next;
  }
  return carried;
}

NodeId called(const Cluster::Parts& parts, const std::string& name) {
  const auto found = std::ranges::find(parts.nodes, name, &Node::name);
  return static_cast<NodeId>(found - parts.nodes.begin());
}

/// Between any two hosts: as many links on the way, and the busiest of their links as busy, as in the given network.
void check_flows(const Cluster::Parts& parts) {
  const Bundles bundles = bundle_equal_cost_paths(parts);
  RC_ASSERT(bundles.parts.links.size() <= parts.links.size());
  const auto busiest = [](const Cluster::Parts& of, NodeId from, NodeId to) {
    std::map<std::pair<double, double>, double> most;  // by rate and latency: what one link of that kind carries
    for (const auto& [id, amount] : even_flow(of, from, to)) {
      double& here = most[{of.links[id].rate_bps, of.links[id].latency_s}];
      here = std::max(here, amount / of.links[id].width);
    }
    return most;
  };
  for (NodeId from = 0; from < parts.nodes.size(); ++from) {
    if (parts.nodes[from].kind != NodeKind::host) continue;
    const NodeId merged_from = called(bundles.parts, parts.nodes[from].name);
    const std::vector<unsigned> away = distances(parts, from);
    const std::vector<unsigned> merged_away = distances(bundles.parts, merged_from);
    for (NodeId to = 0; to < parts.nodes.size(); ++to) {
      if (parts.nodes[to].kind != NodeKind::host || from == to) continue;
      const NodeId merged_to = called(bundles.parts, parts.nodes[to].name);
      RC_ASSERT(merged_away[merged_to] == away[to]);
      const auto given = busiest(parts, from, to);
      const auto merged = busiest(bundles.parts, merged_from, merged_to);
      RC_ASSERT(given.size() == merged.size());
      for (const auto& [kind, most] : given) RC_ASSERT(std::abs(merged.at(kind) - most) < 1e-9);
    }
  }
}

RC_GTEST_PROP(Bundles, KeepLengthsAndEvenFlowsOfLeafSpines, ()) {
  Shape shape = leaf_spine(*rc::gen::inRange(1U, 5U), *rc::gen::inRange(1U, 5U), 1e9 * *rc::gen::inRange(1, 3),
                           *rc::gen::inRange(1U, 3U));
  shape.shuffle();
  check_flows(shape.parts);
  RC_ASSERT(Cluster(shape.parts).unused_links().empty());
}

RC_GTEST_PROP(Bundles, KeepLengthsAndEvenFlowsOfTiers, ()) { check_flows(tiers().parts); }

RC_GTEST_PROP(Bundles, KeepLengthsAndEvenFlowsOfAnyNetwork, ()) { check_flows(any_network().parts); }

TEST(Bundles, MakeATreeOfAFatTree) {
  for (const unsigned k : {4U, 6U}) {
    const Shape shape = fat_tree(k);
    const Cluster cluster(shape.parts);
    EXPECT_TRUE(cluster.unused_links().empty());
    EXPECT_EQ(cluster.merged().size(), k + 1);  // the cores, and the aggregation switches of each pod
    EXPECT_EQ(cluster.nodes().size(), 1 + k + k * k / 2 + k * k * k / 4);
    for (const Link& link : cluster.links()) {
      const bool of_host = cluster.nodes()[link.a].kind == NodeKind::host;
      const bool of_core = cluster.nodes()[link.b].name == "core0+" + std::to_string(k * k / 4 - 1);
      EXPECT_EQ(link.width, of_host ? 1U : of_core ? k * k / 4 : k / 2);
    }
  }
}

TEST(Bundles, NameWhatTheyMerge) {
  const Cluster cluster(leaf_spine(4, 3, 1e10, 2).parts);
  ASSERT_EQ(cluster.merged().size(), 1U);
  EXPECT_EQ(cluster.merged()[0].name, "spine-0+3");
  EXPECT_THAT(cluster.merged()[0].switches, ElementsAre("spine-0", "spine-1", "spine-2", "spine-3"));
  EXPECT_EQ(cluster.nodes()[0].name, "spine-0+3");
  EXPECT_EQ(cluster.links()[0].width, 8U);
  EXPECT_EQ(cluster.links()[0].rate_bps, 1e10);
}

TEST(Bundles, TakeNobodysName) {
  Shape shape = leaf_spine(2, 2, 1e9, 1);
  shape.parts.nodes[3].aliases = {"spine-0+1"};
  EXPECT_EQ(Cluster(shape.parts).merged()[0].name, "spine-0++1");
  Shape wordy = leaf_spine(2, 2, 1e9, 1);
  wordy.parts.nodes[0].name = std::string(255, 'x');
  EXPECT_EQ(Cluster(wordy.parts).merged()[0].name, std::string(253, 'x') + "+1");
}

TEST(Bundles, MergeOnlyWhereSwitchesDoSo) {
  Shape shape = leaf_spine(2, 4, 1e9, 1);
  shape.parts.paths = UsedPaths::spanning_tree;
  const Cluster cluster(shape.parts);
  EXPECT_THAT(cluster.merged(), IsEmpty());
  EXPECT_EQ(cluster.unused_links().size(), 3U);
}

TEST(Bundles, LeaveWhatIsNotAlikeToTheSpanningTree) {
  Shape rates = leaf_spine(2, 3, 1e9, 1);
  for (Link& link : rates.parts.links) link.rate_bps = link.a == 1 ? 2e9 : link.rate_bps;
  const Cluster cluster(rates.parts);
  EXPECT_THAT(cluster.merged(), IsEmpty());
  EXPECT_EQ(cluster.unused_links().size(), 2U);
  Shape widths = leaf_spine(2, 3, 1e9, 1);
  widths.parts.links[0].width = 2;
  EXPECT_THAT(Cluster(widths.parts).merged(), IsEmpty());
  Shape hosts = leaf_spine(2, 3, 1e9, 1);
  hosts.hosts(0, 1);
  EXPECT_THAT(Cluster(hosts.parts).merged(), IsEmpty());
}

TEST(Bundles, OfSwitchesWithALinkBetweenThem) {
  Shape pair = leaf_spine(2, 3, 1e9, 1);  // as the two of an MLAG have
  pair.link(0, 1, 4e9);
  const Cluster cluster(pair.parts);
  EXPECT_EQ(cluster.merged().size(), 1U);
  EXPECT_TRUE(cluster.unused_links().empty());
  EXPECT_EQ(cluster.links().size(), 3U + 6U);
}

TEST(Bundles, AreFastOnLongLines) {
  constexpr NodeId switches = 100'000;  // none alike but in the middle; each split looks at two of them
  Shape shape;
  for (NodeId at = 0; at < switches; ++at) {
    shape.add_switch("s" + std::to_string(at));
    if (at > 0) shape.link(at - 1, at);
  }
  shape.hosts(0, 1);
  EXPECT_THAT(Cluster(shape.parts).merged(), IsEmpty());
}

RC_GTEST_PROP(Bundles, GiveEachOfTheirLinksWhatTheyAreGiven, ()) {
  Shape shape = leaf_spine(*rc::gen::inRange(1U, 5U), *rc::gen::inRange(1U, 5U), 1e9, *rc::gen::inRange(1U, 3U));
  shape.shuffle();
  const Cluster cluster(*rc::gen::arbitrary<bool>() ? any_network().parts : shape.parts);
  std::vector<double> rates;
  std::vector<double> latencies;
  for (ChannelId channel = 0; channel < 2 * cluster.links().size(); ++channel) {
    rates.push_back(1e6 * (1 + channel));
    latencies.push_back(1e-3 * (1 + channel));
  }
  const Cluster again = with_speeds(cluster, rates, latencies);
  RC_ASSERT(again.links().size() == cluster.links().size());
  for (LinkId id = 0; id < cluster.links().size(); ++id) {
    const Link& link = again.links()[id];
    RC_ASSERT(link.a == cluster.links()[id].a && link.b == cluster.links()[id].b);
    RC_ASSERT(link.width == cluster.links()[id].width);
    for (const ChannelId way : {0U, 1U}) {
      RC_ASSERT(link.way(way).rate_bps == rates[2 * id + way]);
      RC_ASSERT(link.way(way).latency_s == latencies[2 * id + way]);
    }
  }
  // By names, one by one: a link stands for those between switches of its ends that were like it.
  std::map<std::string, std::string> group;
  for (const MergedSwitches& one : cluster.merged()) {
    for (const std::string& name : one.switches) group[name] = one.name;
  }
  const Cluster::Parts before = cluster.stated();
  const Cluster::Parts after = again.stated();
  const auto end = [&](NodeId node) {
    const std::string& name = before.nodes[node].name;
    return group.contains(name) ? group.at(name) : name;
  };
  for (LinkId stated = 0; stated < before.links.size(); ++stated) {
    const Link& was = before.links[stated];
    if (end(was.a) == end(was.b)) {
      RC_ASSERT(after.links[stated].rate_bps == was.rate_bps);
      continue;
    }
    std::size_t found = 0;
    for (LinkId id = 0; id < cluster.links().size(); ++id) {
      const Link& link = cluster.links()[id];
      for (const ChannelId turned : {0U, 1U}) {
        const NodeId from = turned != 0 ? link.b : link.a;
        const NodeId to = turned != 0 ? link.a : link.b;
        if (cluster.nodes()[from].name != end(was.a) || cluster.nodes()[to].name != end(was.b)) continue;
        if (link.way(turned) != was.way(0) || link.way(1 - turned) != was.way(1)) continue;
        if (cluster.links().size() == before.links.size() && id != stated) continue;  // nothing became one
        ++found;
        RC_ASSERT(after.links[stated].way(0).rate_bps == rates[2 * id + turned]);
        RC_ASSERT(after.links[stated].way(1).rate_bps == rates[2 * id + 1 - turned]);
        RC_ASSERT(after.links[stated].way(0).latency_s == latencies[2 * id + turned]);
        RC_ASSERT(after.links[stated].way(1).latency_s == latencies[2 * id + 1 - turned]);
      }
    }
    RC_ASSERT(found == 1U);
  }
}

TEST(Bundles, ThatWouldBeOthersAreNotRestated) {
  Shape shape = leaf_spine(2, 3, 1e9, 1);
  for (Link& link : shape.parts.links) link.rate_bps = link.a == 1 ? 2e9 : link.rate_bps;
  const Cluster cluster(shape.parts);  // the spines differ
  ASSERT_THAT(cluster.merged(), IsEmpty());
  const std::vector<double> rates(2 * cluster.links().size(), 1e9);
  const std::vector<double> latencies(cluster.links().size(), 1e-6);
  EXPECT_THROW(with_speeds(cluster, rates, latencies), std::invalid_argument);
}

RC_GTEST_PROP(Bundles, AreTheSameWhenWrittenReadAndScaled, ()) {
  const Cluster cluster(any_network().parts);
  const std::string text = write_cluster(cluster);
  const Cluster again = parse_cluster(text, "written");
  RC_ASSERT(again.fingerprint() == cluster.fingerprint());
  RC_ASSERT(again.merged().size() == cluster.merged().size());
  RC_ASSERT(again.stated().nodes.size() == cluster.stated().nodes.size());
  RC_ASSERT(again.stated().links.size() == cluster.stated().links.size());
  RC_ASSERT(write_cluster(again) == text);
  double fastest = 0.0;
  for (const Link& link : cluster.links()) fastest = std::max(fastest, link.rate_bps);
  const Cluster slow = scaled(cluster, fastest / 10);
  RC_ASSERT(topology_fingerprint(slow) == topology_fingerprint(cluster));
  RC_ASSERT(scaled(slow, fastest).fingerprint() == cluster.fingerprint());
}

}  // namespace
}  // namespace trunkline
