// SPDX-License-Identifier: Apache-2.0
// Random networks, placements and trees, and loads computed the slow way, straight from the papers' definitions.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "network/cluster.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline::testing {

inline constexpr double mbit = 1e6;

/// Hosts of 100 Mbit/s on one switch.
inline Cluster one_switch(unsigned hosts) {
  return parse_cluster(
      "trunkline: cluster/1\nname: one\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-" +
          std::to_string(hosts - 1) + "]', switch: s0}\n",
      "one.yaml");
}

/// Switches with as many hosts each, below one in the middle.
inline Cluster star_of_switches(unsigned switches, unsigned hosts) {
  Cluster::Parts parts{.name = "star", .description = "", .nodes = {{"s", NodeKind::network_switch}}, .links = {}};
  for (unsigned i = 0; i < switches; ++i) {
    const auto leaf = static_cast<NodeId>(parts.nodes.size());
    parts.nodes.push_back({"s" + std::to_string(i), NodeKind::network_switch});
    parts.links.push_back({0, leaf, 100 * mbit, 10e-6});
    for (unsigned j = 0; j < hosts; ++j) {
      parts.links.push_back({leaf, static_cast<NodeId>(parts.nodes.size()), 100 * mbit, 10e-6});
      parts.nodes.push_back({"h" + std::to_string(i * hosts + j), NodeKind::host});
    }
  }
  return Cluster(std::move(parts));
}

/// A tree of switches, some of them perhaps without hosts, hosts on inner switches too; links in random order, so that
/// nothing depends on it. `extra` adds that many redundant links between switches.
inline Cluster::Parts random_parts(NodeId most_switches, NodeId most_hosts, int extra = 0) {
  const auto switches = *rc::gen::inRange<NodeId>(1, most_switches + 1);
  const auto hosts = *rc::gen::inRange<NodeId>(1, most_hosts + 1);
  Cluster::Parts parts{.name = "random", .description = "", .nodes = {}, .links = {}};
  const auto link = [&](NodeId a, NodeId b) {
    const double rate = mbit * *rc::gen::element(10, 100, 1000);
    const double latency = 1e-6 * *rc::gen::inRange(0, 3);
    const std::uint32_t width = *rc::gen::element(1U, 1U, 1U, 2U, 5U);
    parts.links.push_back({.a = a, .b = b, .rate_bps = rate, .latency_s = latency, .width = width});
  };
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0) {
      link(id, *rc::gen::inRange<NodeId>(0, id));
    }
  }
  for (NodeId host = 0; host < hosts; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    link(switches + host, *rc::gen::inRange<NodeId>(0, switches));
  }
  for (int i = 0; i < extra && switches > 1; ++i) {
    const auto a = *rc::gen::inRange<NodeId>(0, switches);
    link(a, (a + *rc::gen::inRange<NodeId>(1, switches)) % switches);
  }
  for (std::size_t i = parts.links.size(); i > 1; --i) {
    std::swap(parts.links[i - 1], parts.links[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  return parts;
}

/// The same network with every link alike: none has room for more than one sender.
inline Cluster::Parts with_room_for_one(Cluster::Parts parts) {
  for (Link& link : parts.links) {
    link.rate_bps = 100 * mbit;
    link.width = 1;
  }
  return parts;
}

/// The same network with hosts alike and room for all of them on every trunk, of any width.
inline Cluster::Parts with_fast_trunks(Cluster::Parts parts) {
  const auto is_host = [&](NodeId node) { return parts.nodes[node].kind == NodeKind::host; };
  for (Link& link : parts.links) {
    const bool host = is_host(link.a) || is_host(link.b);
    if (host) link.width = 1;
    link.rate_bps = host ? mbit : mbit * static_cast<double>(parts.nodes.size());
  }
  return parts;
}

/// The same network with 5 ms on some of the links between switches.
inline Cluster::Parts with_long_links(Cluster::Parts parts) {
  constexpr double long_s = 5e-3;
  for (Link& link : parts.links) {
    const bool joins_switches =
        parts.nodes[link.a].kind == NodeKind::network_switch && parts.nodes[link.b].kind == NodeKind::network_switch;
    if (joins_switches && *rc::gen::arbitrary<bool>()) link.latency_s = long_s;
  }
  return parts;
}

/// Messages go by routes, beside the spanning tree too.
inline Cluster random_routed(int most_extra = 6) {
  Cluster::Parts parts = random_parts(7, 12, *rc::gen::inRange(1, most_extra + 1));
  if (*rc::gen::arbitrary<bool>()) parts = with_long_links(std::move(parts));
  parts.paths = UsedPaths::shortest;
  return Cluster(std::move(parts));
}

/// Several ranks on some hosts, none on others.
inline Placement random_placement(const Cluster& cluster, Rank most_ranks) {
  const auto hosts = static_cast<HostIndex>(cluster.hosts().size());
  const auto used = *rc::gen::inRange<HostIndex>(1, hosts + 1);
  const auto first = *rc::gen::inRange<HostIndex>(0, hosts);
  const auto ranks = *rc::gen::inRange<Rank>(1, most_ranks + 1);
  Placement placement;
  for (Rank rank = 0; rank < ranks; ++rank) {
    placement.push_back((first + *rc::gen::inRange<HostIndex>(0, used)) % hosts);
  }
  return placement;
}

/// Any tree over the ranks, children in any order.
inline Tree random_tree(Rank ranks, std::optional<Rank> root = {}) {
  std::vector<Rank> order(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    order[rank] = rank;
    std::swap(order[rank], order[*rc::gen::inRange<Rank>(0, rank + 1)]);
  }
  if (root) std::swap(order[0], *std::ranges::find(order, *root));
  Tree tree{.root = order[0], .parent = std::vector<Rank>(ranks, no_rank), .children = {}};
  tree.children.resize(ranks);
  for (Rank i = 1; i < ranks; ++i) {
    const Rank parent = order[*rc::gen::inRange<Rank>(0, i)];
    tree.parent[order[i]] = parent;
    tree.children[parent].push_back(order[i]);
  }
  return tree;
}

/// The root exchanges with any of its children, where it has one.
inline Tree with_exchange(Tree tree) {
  const std::vector<Rank>& below = tree.children[tree.root];
  if (!below.empty()) tree.exchange = *rc::gen::elementOf(below);
  return tree;
}

using Edge = std::pair<std::string, std::string>;  ///< from node to node: a channel by the names of its ends
using EdgeSet = std::set<Edge>;

/// path(u, v) by depth-first search over the links that are used: no roots, no depths, no channel numbers.
inline std::optional<EdgeSet> brute_path(const Cluster& cluster, NodeId from, NodeId to, NodeId behind = no_rank) {
  if (from == to) {
    return EdgeSet{};
  }
  for (const Link& link : cluster.links()) {
    if (!link.in_tree || (link.a != from && link.b != from)) {
      continue;
    }
    const NodeId next = link.a == from ? link.b : link.a;
    if (next == behind) {
      continue;
    }
    if (auto rest = brute_path(cluster, next, to, from)) {
      rest->insert({cluster.nodes()[from].name, cluster.nodes()[next].name});
      return rest;
    }
  }
  return std::nullopt;
}

/// The different senders of every channel that is used at all.
inline std::map<Edge, std::set<Rank>> brute_senders(const Cluster& cluster, const Placement& placement,
                                                    const Tree& tree) {
  std::map<Edge, std::set<Rank>> senders;
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    for (const Rank child : tree.children[rank]) {
      const auto path =
          brute_path(cluster, cluster.hosts()[placement[rank]], cluster.hosts()[placement[child]]).value();
      for (const Edge& edge : path) {
        senders[edge].insert(rank);
      }
    }
  }
  return senders;
}

/// Senders of the rate of the fastest host, with all its links, that one link of a channel carries without slowing any
/// of them, counted up one by one; one at least. A hash may put them all on one link.
inline std::uint32_t brute_capacity(const Cluster& cluster, const Placement& placement, const Edge& edge) {
  double fastest = 0.0;
  double rate = 0.0;
  for (const Link& link : cluster.links()) {
    const std::string& a = cluster.nodes()[link.a].name;
    const std::string& b = cluster.nodes()[link.b].name;
    if (link.in_tree && (edge == Edge{a, b} || edge == Edge{b, a})) rate = link.rate_bps;
    for (const HostIndex host : placement) {
      const std::string& name = cluster.nodes()[cluster.hosts()[host]].name;
      if (name == a || name == b) fastest = std::max(fastest, link.rate_bps * link.width);
    }
  }
  std::uint32_t capacity = 1;
  while ((capacity + 1) * fastest <= rate) ++capacity;
  return capacity;
}

/// How often every rank is reached when the root starts and everybody sends on what arrived.
inline std::vector<int> times_reached(const Tree& tree) {
  std::vector<int> times(tree.size(), 0);
  std::vector<Rank> waiting{tree.root};
  while (!waiting.empty() && *std::max_element(times.begin(), times.end()) <= 1) {
    const Rank rank = waiting.back();
    waiting.pop_back();
    ++times[rank];
    waiting.insert(waiting.end(), tree.children[rank].begin(), tree.children[rank].end());
  }
  return times;
}

}  // namespace trunkline::testing
