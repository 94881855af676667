// SPDX-License-Identifier: Apache-2.0
// The sites of a cluster as one rank sees them: how each is entered, and which are behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "network/cluster.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Calls `visit(from, hop)` for each node but the first, after the one that it is reached from. Time O(nodes).
template <class Visit>
void walk_from(const Cluster& cluster, NodeId start, const Visit& visit) {
  std::vector<std::pair<NodeId, NodeId>> open{{start, start}};
  while (!open.empty()) {
    const auto [at, from] = open.back();
    open.pop_back();
    for (const Cluster::Hop& hop : cluster.neighbours(at)) {
      if (hop.to == from) continue;
      visit(at, hop);
      open.emplace_back(hop.to, at);
    }
  }
}

struct SeenSite {
  NodeId gate = 0;                 ///< where its link leads in; of the root's own site the root's host
  std::optional<SiteId> before{};  ///< which may have no ranks
  std::vector<Rank> ranks{};
  Rank entry = no_rank;          ///< the rank nearest to the gate, by links; no_rank: there are no ranks
  double farthest_s = 0.0;       ///< latency from the root to the farthest entry there and beyond
  std::vector<SiteId> beyond{};  ///< that are served from here, the farthest first; none without ranks
};

/// As the root sees them. Sites are those of network/long_links.hpp; sites beyond one without ranks are served from
/// before it.
class SitesSeen {
 public:
  /// The placement fits the cluster, which must outlive the object.
  SitesSeen(const Cluster& cluster, const Placement& placement, Rank root);

  /// Each comes after the one before it.
  [[nodiscard]] const std::vector<SiteId>& order() const { return order_; }
  [[nodiscard]] const SeenSite& operator[](SiteId site) const { return seen_[site]; }
  [[nodiscard]] SiteId sites() const { return sites_.count; }
  [[nodiscard]] SiteId site_of(Rank rank) const { return sites_.of_node[node_of(rank)]; }

  /// By node: from the root's host.
  [[nodiscard]] const std::vector<double>& latency_s() const { return latency_s_; }

  /// Who else serves the site of a rank, so that the root's own does not. Throws std::invalid_argument where the rank
  /// is not the entry of a site that the root's own serves.
  void leave_out(Rank entry);

 private:
  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  void walk(NodeId start);
  /// Says who serves whom, from the outermost sites inwards.
  void link();

  const Cluster& cluster_;
  const Placement& placement_;
  Rank root_;
  Sites sites_;
  std::vector<SeenSite> seen_;
  std::vector<SiteId> order_;
  std::vector<std::uint32_t> steps_;  ///< from the root's host, by node
  std::vector<double> latency_s_;
};

}  // namespace trunkline
