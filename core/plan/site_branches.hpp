// SPDX-License-Identifier: Apache-2.0
// The hops on the way to the ranks of each site, so that a slow long link to one counts for those behind it alone.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "network/cluster.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

using Works = std::vector<TreeCosts::Work>;

inline bool is_within(const TreeCosts::Work& one, const TreeCosts::Work& other) {
  return one.per_byte_s <= other.per_byte_s && one.per_ack_byte_s <= other.per_ack_byte_s;
}

/// Keeps those that may be the most for some segment, and some more.
inline void add(Works& works, const TreeCosts::Work& work) {
  if (std::ranges::any_of(works, [&](const TreeCosts::Work& known) { return is_within(work, known); })) return;
  std::erase_if(works, [&](const TreeCosts::Work& known) { return is_within(known, work); });
  works.push_back(work);
}

inline void add(Works& works, const Works& more) {
  for (const TreeCosts::Work& work : more) add(works, work);
}

inline double most_byte_s(const TreeCosts::Branch& branch) {
  return std::ranges::max(branch.busiest, {}, &TreeCosts::Work::per_byte_s).per_byte_s;
}

/// Collects the ways to a tree's last ranks by the site that each of them is on.
class SiteBranches {
 public:
  /// What a further segment costs a channel.
  using WorkOf = std::function<TreeCosts::Work(ChannelId)>;

  /// Both must outlive the object.
  SiteBranches(const Cluster& cluster, const Placement& placement)
      : cluster_(cluster), placement_(placement), sites_(sites_of(cluster)) {}

  void add_way(Rank rank, const TreeCosts::Way& way) { ways_[site_of(rank)].push_back(way); }

  /// For each site all of its ways, and the most that a channel between the root and its ranks has to do. `backwards`:
  /// data go from children to parents. Empty where that is the same for all sites. Time O(ranks * length of a path).
  [[nodiscard]] std::vector<TreeCosts::Branch> branches(std::span<const Tree* const> trees, const WorkOf& work_of,
                                                        bool backwards) const {
    if (ways_.size() < 2) return {};
    std::map<SiteId, Works> most;
    for (const Tree* const tree : trees) add_works(*tree, work_of, backwards, most);
    std::vector<TreeCosts::Branch> branches;
    for (const auto& [site, ways] : ways_) {
      if (most.at(site).empty()) most.at(site).emplace_back();  // ranks of the root's host alone
      branches.push_back({.latest = ways, .busiest = most.at(site)});
    }
    const double first_s = most_byte_s(branches.front());
    const auto is_same = [&](const TreeCosts::Branch& one) { return most_byte_s(one) == first_s; };
    return std::ranges::all_of(branches, is_same) ? std::vector<TreeCosts::Branch>() : branches;
  }

 private:
  [[nodiscard]] NodeId node_of(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }
  [[nodiscard]] SiteId site_of(Rank rank) const { return sites_.of_node[node_of(rank)]; }

  void add_works(const Tree& tree, const WorkOf& work_of, bool backwards,
                 std::map<SiteId, std::vector<TreeCosts::Work>>& most) const {
    std::vector<Works> works(tree.size());  // by rank: of the way from the root
    for (const Rank rank : parents_first(tree)) {
      if (rank != tree.root) {
        const NodeId above = node_of(tree.parent[rank]);
        const NodeId below = node_of(rank);
        works[rank] = works[tree.parent[rank]];
        for (const ChannelId channel : cluster_.path(backwards ? below : above, backwards ? above : below)) {
          add(works[rank], work_of(channel));
        }
      }
      add(most[site_of(rank)], works[rank]);
    }
  }

  const Cluster& cluster_;
  const Placement& placement_;
  Sites sites_;
  std::map<SiteId, std::vector<TreeCosts::Way>> ways_;
};

}  // namespace trunkline
