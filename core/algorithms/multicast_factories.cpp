// SPDX-License-Identifier: Apache-2.0
#include "algorithms/multicast_factories.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/tree_factories.hpp"
#include "algorithms/trees/by_sites.hpp"
#include "algorithms/trees/groups_by_sites.hpp"
#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/linear.hpp"
#include "kinds/multicast/groups.hpp"
#include "kinds/multicast/multicast.hpp"
#include "network/paths.hpp"

namespace trunkline {
namespace {

/// Words without data take no time on links, so the fewer levels the better.
constexpr unsigned degree_without_data = 8;
/// What switches' queues and sockets' buffers hold of all ranks' datagrams.
constexpr Rank most_at_once = 32;

/// The pace of a group's sender: of the slowest link in its group, less what other groups' senders take of its own link
/// at the rates of their ways; at least an equal share of that.
double pace_beside_messages(const Paths& paths, const Ground& on, const MulticastGroup& group,
                            const std::vector<Rank>& receivers) {
  const double byte_s = slowest_byte_s(paths, placement_of(on.placement, group.ranks), 0);
  if (byte_s == 0.0) return 0.0;
  const auto hosts = on.cluster->hosts();
  const NodeId from = hosts[on.placement[group.ranks.front()]];
  double taken = 0.0;
  double sends = 0.0;
  for (const Rank rank : receivers) {
    const NodeId to = hosts[on.placement[rank]];
    if (to == from || std::ranges::find(group.ranks, rank) != group.ranks.end()) continue;
    ++sends;
    taken += 1.0 / paths.slowest_byte_s(from, to, paths.meeting(from, to));
  }
  return 1.0 / std::max(1.0 / byte_s - taken, 1.0 / byte_s / (sends + 1.0));
}

/// The same of an allgather: ranks of a site send by turn, depth first over its switches.
Plan lay_turns_by_sites(const Paths& paths, const Ground& on) {
  const GroupsBySites laid = groups_by_sites(*on.cluster, on.placement, Middle{.root = on.root}, on.k);
  if (laid.groups.size() == 1) return lay_multicast(on);
  Multicast multicast;
  Rank largest = 1;
  for (const std::vector<Rank>& ranks : laid.groups) {
    const Placement own = placement_of(on.placement, ranks);
    MulticastGroup& group = multicast.groups.emplace_back();
    for (const Rank place : depth_first_order(*on.cluster, own, 0)) group.ranks.push_back(ranks[place]);
    if (ranks.size() > 1) group.byte_s = slowest_byte_s(paths, own, 0);
    multicast.order.insert(multicast.order.end(), group.ranks.begin(), group.ranks.end());
    largest = std::max(largest, static_cast<Rank>(ranks.size()));
  }
  multicast.at_once = std::min(largest, most_at_once);
  return plan_of(std::move(multicast));
}

}  // namespace

Plan lay_multicast(const Ground& on) {
  Multicast multicast;
  multicast.byte_s = slowest_byte_s(Paths(*on.cluster), on.placement, on.root);
  if (facts_of(on.collective).gathers_shares()) {
    multicast.order = depth_first_order(*on.cluster, on.placement, on.root);
    multicast.at_once = std::min(on.ranks(), most_at_once);
  } else {
    const unsigned degree = facts_of(on.collective).has_data ? on.k : degree_without_data;
    // In other hosts nobody answers for more.
    multicast.confirm = over_hosts(on.placement, on.root, [&](const Placement& placement, Rank root) {
      return k_ary_tree(*on.cluster, placement, root, degree);
    });
    if (facts_of(on.collective).has_operand_order()) multicast.reduce = over_ranks(two_trees_over_hosts(on));
  }
  return plan_of(std::move(multicast));
}

Plan lay_by_sites_multicast(const Ground& on) {
  const Paths paths(*on.cluster);
  if (facts_of(on.collective).gathers_shares()) return lay_turns_by_sites(paths, on);
  GroupsBySites laid = groups_by_sites(*on.cluster, on.placement, middle_or_root(on, on.placement, on.root), on.k);
  Multicast multicast{.confirm = std::move(laid.tree)};
  if (laid.groups.size() == 1) {
    multicast.byte_s = slowest_byte_s(paths, on.placement, on.root);
    return plan_of(std::move(multicast));
  }
  for (std::vector<Rank>& ranks : laid.groups) {
    MulticastGroup group{.ranks = std::move(ranks)};
    if (group.ranks.size() > 1) {
      group.byte_s = pace_beside_messages(paths, on, group, multicast.confirm.children[group.ranks.front()]);
    }
    multicast.groups.push_back(std::move(group));
  }
  return plan_of(std::move(multicast));
}

}  // namespace trunkline
