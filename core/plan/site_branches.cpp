// SPDX-License-Identifier: Apache-2.0
#include "plan/site_branches.hpp"

#include <algorithm>
#include <utility>

namespace trunkline {
namespace {

using Works = std::vector<TreeCosts::Work>;

bool is_within(const TreeCosts::Work& one, const TreeCosts::Work& other) {
  return one.per_byte_s <= other.per_byte_s && one.per_ack_byte_s <= other.per_ack_byte_s;
}

/// Keeps those that may be the most for some segment, and some more.
void add(Works& works, const TreeCosts::Work& work) {
  if (std::ranges::any_of(works, [&](const TreeCosts::Work& known) { return is_within(work, known); })) return;
  std::erase_if(works, [&](const TreeCosts::Work& known) { return is_within(known, work); });
  works.push_back(work);
}

void add(Works& works, const Works& more) {
  for (const TreeCosts::Work& work : more) add(works, work);
}

double most_byte_s(const TreeCosts::Branch& branch) {
  return std::ranges::max(branch.busiest, {}, &TreeCosts::Work::per_byte_s).per_byte_s;
}

}  // namespace

SiteBranches::SiteBranches(const Cluster& cluster, const Placement& placement)
    : cluster_(cluster), placement_(placement), sites_(sites_of(cluster)) {}

void SiteBranches::add_works(const Tree& tree, const WorkOf& work_of, bool backwards,
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

std::vector<TreeCosts::Branch> SiteBranches::branches(std::span<const Tree* const> trees, const WorkOf& work_of,
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

}  // namespace trunkline
