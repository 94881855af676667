// SPDX-License-Identifier: Apache-2.0
// The hops on the way to the ranks of each site, so that a slow long link to one counts for those behind it alone.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// Collects the ways to a tree's last ranks by the site that each of them is on.
class SiteBranches {
 public:
  /// What a further segment costs a channel.
  using WorkOf = std::function<TreeCosts::Work(ChannelId)>;

  /// Both must outlive the object.
  SiteBranches(const Cluster& cluster, const Placement& placement);

  void add_way(Rank rank, const TreeCosts::Way& way) { ways_[site_of(rank)].push_back(way); }

  /// For each site all of its ways, and the most that a channel between the root and its ranks has to do. `backwards`:
  /// data go from children to parents. Empty where that is the same for all sites. Time O(ranks * length of a path).
  [[nodiscard]] std::vector<TreeCosts::Branch> branches(std::span<const Tree* const> trees, const WorkOf& work_of,
                                                        bool backwards) const;

 private:
  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  [[nodiscard]] SiteId site_of(Rank rank) const { return sites_.of_node[node_of(rank)]; }
  void add_works(const Tree& tree, const WorkOf& work_of, bool backwards,
                 std::map<SiteId, std::vector<TreeCosts::Work>>& most) const;

  const Cluster& cluster_;
  const Placement& placement_;
  Sites sites_;
  std::map<SiteId, std::vector<TreeCosts::Way>> ways_;
};

}  // namespace trunkline
