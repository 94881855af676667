// SPDX-License-Identifier: Apache-2.0
// Trees whose nodes are hosts: one rank of each host is on the way of the data, and serves the others there.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "patterns/tree.hpp"

namespace trunkline {

/// The hosts that ranks sit on, numbered by their first ranks.
struct RanksOfHosts {
  Placement placement;                   ///< by number: the host
  std::vector<std::vector<Rank>> ranks;  ///< by number: who leads the host, then the others in order
  Rank root = 0;                         ///< the number of the root's host, which the root leads; others lead by number

  [[nodiscard]] bool any_is_shared(std::size_t ranks_in_all) const { return placement.size() < ranks_in_all; }
};

/// Throws std::invalid_argument where `root` is no rank of the placement. Time O(ranks).
[[nodiscard]] RanksOfHosts ranks_of_hosts(const Placement& placement, Rank root);

/// The tree over all ranks: who leads a host has the place of the host's number, and serves the other ranks of the host
/// after all other hosts, since memory does not wait for a link. Of several lanes each is led by another rank of a
/// host, round the end where it has fewer; the root then hands its segments to who leads its host there. A root that
/// exchanges does so itself, with who leads the other's host.
[[nodiscard]] Tree with_all_ranks(const Tree& over_hosts, const RanksOfHosts& hosts, std::size_t lane = 0);

/// Trees over hosts for each of some lanes: what in_lanes() makes trees over ranks of, in its order.
struct HostTrees {
  std::vector<Tree> over_hosts;
  RanksOfHosts hosts;
  std::size_t lanes = 1;  ///< no more than the fullest host has ranks

  [[nodiscard]] Rank root() const { return hosts.ranks[over_hosts.front().root].front(); }
  [[nodiscard]] std::size_t trees() const { return over_hosts.size() * lanes; }
  /// Who leads a host.
  [[nodiscard]] Rank leader(Rank number, std::size_t lane) const {
    const std::vector<Rank>& own = hosts.ranks[number];
    return own[lane % own.size()];
  }
};
[[nodiscard]] HostTrees host_trees(std::vector<Tree> over_hosts, RanksOfHosts hosts, std::size_t lanes = 1);

/// All of them, over the ranks.
[[nodiscard]] std::vector<Tree> over_ranks(const HostTrees& trees);

/// The trees once for each lane, so that several ranks of a host drive its link by turns: one of them alone does not
/// fill a fast one, and combines all that its host has. Each carries its part of the segments, so all together load
/// links as the trees alone would. No more lanes than the fullest host has ranks.
[[nodiscard]] std::vector<Tree> in_lanes(std::span<const Tree> over_hosts, const RanksOfHosts& hosts,
                                         std::size_t lanes);

/// `lay(placement, root)` lays one tree over a placement; here over hosts, so that a host is one hop however many ranks
/// it has, and however ranks are dealt to hosts. Where each host has one rank it is that tree.
template <std::invocable<const Placement&, Rank> Lay>
[[nodiscard]] Tree over_hosts(const Placement& placement, Rank root, Lay lay) {
  const RanksOfHosts hosts = ranks_of_hosts(placement, root);
  if (!hosts.any_is_shared(placement.size())) return lay(placement, root);
  return with_all_ranks(lay(hosts.placement, hosts.root), hosts);
}

}  // namespace trunkline
