// SPDX-License-Identifier: Apache-2.0
#include "plan/regions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace trunkline {
namespace {

struct Step {
  NodeId node;
  std::size_t from;  ///< place of the switch one came from
};

/// Switches by search from `first`, each after the one it was reached from.
std::vector<Step> switches_from(const Cluster& cluster, NodeId first) {
  std::vector<Step> order{{first, 0}};
  for (std::size_t at = 0; at < order.size(); ++at) {
    const NodeId from = order[order[at].from].node;
    for (const Cluster::Hop& hop : cluster.neighbours(order[at].node)) {
      if (cluster.nodes()[hop.to].kind != NodeKind::network_switch) continue;
      if (hop.to == from && at != 0) continue;
      order.push_back({hop.to, at});
    }
  }
  return order;
}

/// Builds regions from the leaves up, so that empty and transparent ones never come to be; numbers them at the end.
class Builder {
 public:
  Builder(const Cluster& cluster, const Placement& placement, Rank root)
      : cluster_(cluster), placement_(placement), root_(root), ranks_of_host_(cluster.hosts().size()) {
    for (Rank rank = 0; rank < placement.size(); ++rank) ranks_of_host_[placement[rank]].push_back(rank);
    auto& beside_root = ranks_of_host_[placement[root]];
    std::iter_swap(beside_root.begin(), std::ranges::find(beside_root, root));
    std::sort(beside_root.begin() + 1, beside_root.end());
  }

  Regions build() {
    const HostIndex root_host = placement_[root_];
    const std::vector<Step> switches = switches_from(cluster_, cluster_.switch_of(root_host));
    std::vector<std::size_t> place_of_node(cluster_.nodes().size(), 0);
    for (std::size_t at = 0; at < switches.size(); ++at) place_of_node[switches[at].node] = at;
    std::vector<Region> inside(switches.size());
    const auto add_host = [&](HostIndex host) { add(inside[place_of_node[cluster_.switch_of(host)]], host); };
    add_host(root_host);
    for (HostIndex host = 0; host < ranks_of_host_.size(); ++host) {
      if (host != root_host) add_host(host);
    }
    for (std::size_t at = switches.size() - 1; at > 0; --at) {
      // From the far end, so that whatever lies beyond is in already.
      if (const auto kept = keep(std::move(inside[at]))) inside[switches[at].from].parts.push_back(*kept);
    }
    return number(*keep(std::move(inside[0])));
  }

 private:
  void add(Region& into, HostIndex host) {
    auto& ranks = ranks_of_host_[host];
    if (ranks.size() == 1) into.singles.push_back(ranks.front());
    if (ranks.size() < 2) return;
    into.parts.push_back(*keep({.parts = {}, .singles = std::move(ranks)}));
  }

  /// The region's place in `made_`; empty where nothing is in it.
  std::optional<RegionId> keep(Region region) {
    if (region.singles.empty() && region.parts.empty()) return {};
    if (region.singles.empty() && region.parts.size() == 1) return region.parts.front();
    region.ranks = region.singles.size();
    for (const RegionId part : region.parts) region.ranks += made_[part].ranks;
    made_.push_back(std::move(region));
    return static_cast<RegionId>(made_.size() - 1);
  }

  Regions number(RegionId whole) {
    Regions regions{.all = {}, .of_rank = std::vector<RegionId>(placement_.size()), .root = root_};
    regions.all.push_back(std::move(made_[whole]));
    for (RegionId at = 0; at < regions.all.size(); ++at) {
      for (const Rank rank : regions.all[at].singles) regions.of_rank[rank] = at;
      for (std::size_t i = 0; i < regions.all[at].parts.size(); ++i) {
        regions.all.push_back(std::move(made_[regions.all[at].parts[i]]));
        regions.all.back().parent = at;
        regions.all[at].parts[i] = static_cast<RegionId>(regions.all.size() - 1);
      }
    }
    return regions;
  }

  const Cluster& cluster_;
  const Placement& placement_;
  Rank root_;
  std::vector<std::vector<Rank>> ranks_of_host_;
  std::vector<Region> made_;
};

}  // namespace

Regions regions_from(const Cluster& cluster, const Placement& placement, Rank root) {
  check_placement(cluster, placement, root);
  return Builder(cluster, placement, root).build();
}

}  // namespace trunkline
