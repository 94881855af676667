// SPDX-License-Identifier: Apache-2.0
#include "network/regions.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace trunkline {
namespace {

struct Step {
  NodeId node;
  std::size_t from;  ///< place of the switch one came from
  LinkId link;       ///< between the two
};

/// Switches by search from `first`, each after the one it was reached from.
std::vector<Step> switches_from(const Cluster& cluster, NodeId first) {
  std::vector<Step> order{{.node = first, .from = 0, .link = 0}};
  for (std::size_t at = 0; at < order.size(); ++at) {
    const NodeId from = order[order[at].from].node;
    for (const Cluster::Hop& hop : cluster.neighbours(order[at].node)) {
      if (cluster.nodes()[hop.to].kind != NodeKind::network_switch) continue;
      if (hop.to == from && at != 0) continue;
      order.push_back({.node = hop.to, .from = at, .link = hop.channel / 2});
    }
  }
  return order;
}

/// Builds regions from the leaves up, so that empty and transparent ones never come to be; numbers them at the end.
class Builder {
 public:
  Builder(const Cluster& cluster, const Placement& placement, Rank root, std::span<const std::uint32_t> capacities)
      : cluster_(cluster),
        placement_(placement),
        root_(root),
        capacities_(capacities),
        ranks_of_host_(cluster.hosts().size()) {
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
    std::vector<std::size_t> hosts_inside(switches.size(), 0);
    std::size_t hosts = 0;
    const auto add_host = [&](HostIndex host) {
      if (ranks_of_host_[host].empty()) return;
      const std::size_t at = place_of_node[cluster_.switch_of(host)];
      ++hosts_inside[at];
      ++hosts;
      add(inside[at], host);
    };
    add_host(root_host);
    for (HostIndex host = 0; host < ranks_of_host_.size(); ++host) {
      if (host != root_host) add_host(host);
    }
    for (std::size_t at = switches.size() - 1; at > 0; --at) {
      // From the far end, so that whatever lies beyond is in already.
      const Step& step = switches[at];
      const std::size_t outside = hosts - hosts_inside[at];
      join(inside[step.from], std::move(inside[at]), capacities_.empty() ? 1 : capacities_[step.link], outside);
      hosts_inside[step.from] += hosts_inside[at];
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

  /// Puts what is behind a link with so much room into the region around it. As one region where there is room for one
  /// sender; else in as many boxes as there is room for. Each is entered by one rank and left by one, so no more than
  /// they send through the link at once. Nor do more than there are hosts outside.
  void join(Region& outer, Region inner, std::size_t capacity, std::size_t outside) {
    const std::size_t boxes = std::min(capacity, inner.singles.size() + inner.parts.size());
    if (capacity == 1) {
      if (const auto kept = keep(std::move(inner))) outer.parts.push_back(*kept);
      return;
    }
    if (boxes == inner.singles.size() + inner.parts.size() || capacity >= outside) {
      outer.singles.insert(outer.singles.end(), inner.singles.begin(), inner.singles.end());
      outer.parts.insert(outer.parts.end(), inner.parts.begin(), inner.parts.end());
      return;
    }
    for (Region& box : split(std::move(inner), boxes)) {
      const bool alone = box.parts.empty() && box.singles.size() == 1;
      if (alone) {
        outer.singles.push_back(box.singles.front());
      } else {
        outer.parts.push_back(*keep(std::move(box)));
      }
    }
  }

  /// Boxes of about as many ranks each, none of them empty: the largest parts first, each to the box with fewest.
  std::vector<Region> split(Region region, std::size_t boxes) const {
    std::vector<Region> into(boxes);
    const auto fewest = [&] { return std::ranges::min_element(into, {}, &Region::ranks); };
    std::ranges::stable_sort(region.parts, std::greater{}, [&](RegionId part) { return made_[part].ranks; });
    for (const RegionId part : region.parts) {
      const auto box = fewest();
      box->parts.push_back(part);
      box->ranks += made_[part].ranks;
    }
    for (const Rank rank : region.singles) {
      const auto box = fewest();
      box->singles.push_back(rank);
      ++box->ranks;
    }
    return into;
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
  std::span<const std::uint32_t> capacities_;  ///< by link; empty: each has room for one sender
  std::vector<std::vector<Rank>> ranks_of_host_;
  std::vector<Region> made_;
};

}  // namespace

Regions regions_from(const Cluster& cluster, const Placement& placement, Rank root,
                     std::span<const std::uint32_t> capacities) {
  check_placement(cluster, placement, root);
  if (!capacities.empty() && capacities.size() != cluster.links().size()) {
    throw std::invalid_argument(std::to_string(capacities.size()) + " capacities for " +
                                std::to_string(cluster.links().size()) + " links");
  }
  return Builder(cluster, placement, root, capacities).build();
}

}  // namespace trunkline
