// SPDX-License-Identifier: Apache-2.0
#include "algorithms/trees/packed_by_sites.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "algorithms/trees/by_sites.hpp"
#include "network/long_links.hpp"
#include "network/routes.hpp"

namespace trunkline {
namespace {

using Site = std::uint32_t;
using Channels = std::vector<ChannelId>;

constexpr Site no_site = std::numeric_limits<Site>::max();

Channels long_channels(const Cluster& cluster, const std::vector<bool>& is_long, NodeId from, NodeId to) {
  Channels channels = cluster.path(from, to);
  std::erase_if(channels, [&](ChannelId channel) { return !is_long[channel / 2]; });
  return channels;
}

class SiteGraphMaker {
 public:
  SiteGraphMaker(const Cluster& cluster, const Placement& placement, Direction direction)
      : cluster_(cluster), direction_(direction), is_long_(long_links_of(cluster)), sites_(sites_of(cluster)) {
    std::map<SiteId, Site> number;
    std::set<NodeId> switches;
    for (const HostIndex host : placement) {
      switches.insert(cluster.switch_of(host));
      number.try_emplace(sites_.of_node[cluster.hosts()[host]], static_cast<Site>(number.size()));
    }
    switches_.assign(switches.begin(), switches.end());
    made_.site_of_node.assign(cluster.nodes().size(), no_site);
    for (NodeId node = 0; node < cluster.nodes().size(); ++node) {
      const auto found = number.find(sites_.of_node[node]);
      if (found != number.end()) made_.site_of_node[node] = found->second;
    }
    made_.graph.sites = static_cast<Site>(number.size());
  }

  RoutedSites make() && {
    for (const NodeId host : cluster_.hosts()) {
      if (is_long_[cluster_.neighbours(host).front().channel / 2]) return {};
    }
    if (made_.graph.sites < 2 || made_.graph.sites > most_packed_sites || switches_.size() > most_packed_switches) {
      return {};
    }
    for (const NodeId from : switches_) {
      for (const NodeId to : switches_) {
        if (site(from) != site(to)) add_way(from, to);
      }
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] Site site(NodeId node) const { return made_.site_of_node[node]; }

  void add_way(NodeId from, NodeId to) {
    const Channels channels = long_channels(cluster_, is_long_, from, to);
    for (const ChannelId channel : channels) {
      const Site between = site(cluster_.channel_to(channel));
      if (channel != channels.back() && between != no_site) return;  // two arcs, each shorter, are the same way
    }
    if (!known_.insert(channels).second) return;
    SiteGraph::Arc arc{.from = site(from), .to = site(to)};
    for (const ChannelId channel : channels) {
      arc.latency_s += cluster_.link_of(channel).mean_latency_s();
      arc.channels.push_back(number_of(channel));
    }
    made_.graph.arcs.push_back(std::move(arc));
  }

  std::uint32_t number_of(ChannelId channel) {
    const auto [found, is_new] = number_.try_emplace(channel, static_cast<std::uint32_t>(number_.size()));
    if (is_new) {
      made_.channels.push_back(channel);
      made_.graph.rates.push_back(rate_of(channel));
    }
    return found->second;
  }

  [[nodiscard]] double rate_of(ChannelId channel) const {
    if (direction_ == Direction::up_and_down) return cluster_.link_of(channel).least_bps();
    return cluster_.way(direction_ == Direction::up ? channel ^ 1U : channel).rate_bps;
  }

  const Cluster& cluster_;
  Direction direction_;
  std::vector<bool> is_long_;
  Sites sites_;
  std::vector<NodeId> switches_;  ///< that hosts with ranks hang on
  std::set<Channels> known_;
  std::map<ChannelId, std::uint32_t> number_;
  RoutedSites made_;
};

/// Lays the trees of a packing over ranks.
class PackedTrees {
 public:
  PackedTrees(const Cluster& cluster, const Placement& placement, Rank root, const RoutedSites& sites)
      : cluster_(cluster), placement_(placement), root_(root), sites_(sites), is_long_(long_links_of(cluster)) {}

  [[nodiscard]] Tree lay(const std::vector<std::uint32_t>& arcs, unsigned k) const {
    Tree tree = by_sites_tree(with_arcs_alone(arcs), placement_, root_, k);
    for (const std::uint32_t arc : arcs) send_along(sites_.graph.arcs[arc], tree);
    return tree;
  }

 private:
  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  [[nodiscard]] Site site_of(Rank rank) const { return sites_.site_of_node[node_of(rank)]; }
  [[nodiscard]] ChannelId first_of(const SiteGraph::Arc& arc) const { return sites_.channels[arc.channels.front()]; }
  [[nodiscard]] ChannelId last_of(const SiteGraph::Arc& arc) const { return sites_.channels[arc.channels.back()]; }

  /// The same hosts and sites, where no other long links are than one for each arc. Sites without ranks hang somewhere.
  [[nodiscard]] Cluster with_arcs_alone(const std::vector<std::uint32_t>& arcs) const {
    Cluster::Parts parts = cluster_.stated();
    parts.paths = UsedPaths::spanning_tree;
    parts.measured.reset();
    std::vector<Link> links;
    double longest_s = 0.0;
    for (LinkId id = 0; id < parts.links.size(); ++id) {
      longest_s = std::max(longest_s, parts.links[id].mean_latency_s());
      if (!is_long_[id]) links.push_back(parts.links[id]);
    }
    for (const std::uint32_t id : arcs) {
      const SiteGraph::Arc& arc = sites_.graph.arcs[id];
      double rate_bps = std::numeric_limits<double>::max();
      for (const std::uint32_t channel : arc.channels) rate_bps = std::min(rate_bps, sites_.graph.rates[channel]);
      links.push_back({.a = cluster_.channel_from(first_of(arc)),
                       .b = cluster_.channel_to(last_of(arc)),
                       .rate_bps = rate_bps,
                       .latency_s = arc.latency_s});
    }
    const Sites all = sites_of(cluster_);
    const NodeId home = cluster_.switch_of(placement_[root_]);
    std::vector<bool> is_joined(all.count, false);
    for (NodeId node = 0; node < parts.nodes.size(); ++node) {
      const bool is_switch = parts.nodes[node].kind == NodeKind::network_switch;
      if (!is_switch || sites_.site_of_node[node] != no_site || is_joined[all.of_node[node]]) continue;
      is_joined[all.of_node[node]] = true;
      links.push_back({.a = home, .b = node, .rate_bps = 1.0, .latency_s = longest_s});
    }
    parts.links = std::move(links);
    return Cluster(std::move(parts));
  }

  [[nodiscard]] bool leads_along(const SiteGraph::Arc& arc, Rank from, Rank to) const {
    const Channels channels = long_channels(cluster_, is_long_, node_of(from), node_of(to));
    return std::ranges::equal(channels, arc.channels, {}, {},
                              [&](std::uint32_t channel) { return sites_.channels[channel]; });
  }

  /// Has the arc's message sent by somebody from whom routes lead along it: who sends least, the last one of them.
  void send_along(const SiteGraph::Arc& arc, Tree& tree) const {
    Rank to = 0;
    while (tree.parent[to] == no_rank || site_of(to) != arc.to || site_of(tree.parent[to]) == arc.to) ++to;
    if (leads_along(arc, tree.parent[to], to)) return;
    Rank best = no_rank;
    for (Rank from = 0; from < tree.size(); ++from) {
      if (site_of(from) != arc.from || !leads_along(arc, from, to)) continue;
      if (best == no_rank || tree.children[from].size() <= tree.children[best].size()) best = from;
    }
    if (best == no_rank) return;  // more than one message on a link, then; costs and the checker's loads say so
    std::erase(tree.children[tree.parent[to]], to);
    tree.parent[to] = best;
    tree.children[best].insert(tree.children[best].begin(), to);  // before its own site, as in by_sites.hpp
  }

  const Cluster& cluster_;
  const Placement& placement_;
  Rank root_;
  const RoutedSites& sites_;
  std::vector<bool> is_long_;
};

/// More than the slowest port takes in or sends nobody needs.
double slowest_port_bps(const Cluster& cluster, const Placement& placement) {
  double slowest = std::numeric_limits<double>::max();
  for (const HostIndex host : placement) {
    const Link own = cluster.own_link(host);
    slowest = std::min(slowest, own.least_bps() * own.width);
  }
  return slowest;
}

}  // namespace

RoutedSites routed_sites(const Cluster& cluster, const Placement& placement, Direction direction) {
  check_placement(cluster, placement, 0);
  return SiteGraphMaker(cluster, placement, direction).make();
}

std::vector<Tree> packed_by_sites(const Cluster& cluster, const Placement& placement, Rank root, unsigned k,
                                  Direction direction) {
  check_placement(cluster, placement, root);
  Packing packing;
  RoutedSites sites;
  if (cluster.routes() != nullptr) sites = routed_sites(cluster, placement, direction);
  if (sites.graph.sites > 1) {
    packing = pack_arborescences(sites.graph, sites.site_of_node[cluster.hosts()[placement[root]]], most_packed_trees,
                                 slowest_port_bps(cluster, placement));
  }
  if (packing.trees.empty()) return {by_sites_tree(cluster, placement, root, k)};
  const PackedTrees packed(cluster, placement, root, sites);
  std::map<std::vector<std::uint32_t>, Tree> known;
  std::vector<Tree> trees;
  for (const std::vector<std::uint32_t>& arcs : packing.trees) {
    auto found = known.find(arcs);
    if (found == known.end()) found = known.emplace(arcs, packed.lay(arcs, k)).first;
    trees.push_back(found->second);
  }
  return trees;
}

}  // namespace trunkline
