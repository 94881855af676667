// SPDX-License-Identifier: Apache-2.0
// Several trees by turns over sites that are joined by more long links than a tree has: each crosses other long links,
// or the same ones, so often that all are as busy as their rates allow. Cost: latencies of long links, and the bytes
// over the rate of all trees together.
#pragma once

#include <cstddef>
#include <vector>

#include "collective/collective.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "patterns/arborescences.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Each takes a window in memory; a link with less than 1 / most_packed_trees of the rate would be worth little.
inline constexpr std::size_t most_packed_trees = 8;
/// With more sites that have ranks, or more such switches, one tree is laid.
inline constexpr std::size_t most_packed_sites = 16;
inline constexpr std::size_t most_packed_switches = 128;

/// Sites of a placement, as routes lead from one to another.
struct RoutedSites {
  SiteGraph graph;                          ///< of sites with ranks; channels are long ones
  std::vector<ChannelId> channels;          ///< by channel of the graph
  std::vector<std::uint32_t> site_of_node;  ///< of the graph, by node; meaningless where the node's has no ranks
};

/// An arc for each way of long links that routes take from one site to another, without a third one that has ranks
/// between. Rates are of one link, the way that data go; where they go both ways, of the slower one. No sites where
/// ranks are on one site alone, on too many, or behind a long link of their own host.
[[nodiscard]] RoutedSites routed_sites(const Cluster& cluster, const Placement& placement, Direction direction);

/// Trees that take segments by turns, each into every site once (pack_arborescences()). Inside sites they are those of
/// by_sites.hpp, entered where the tree's long link ends; the sender over it is a rank whose messages routes lead that
/// way. Some may be the same tree. A tree alone, that of by_sites.hpp, where paths are those of the spanning tree, or
/// as said above. Throws std::invalid_argument where `root` or a host of `placement` is out of range, or k is 0.
[[nodiscard]] std::vector<Tree> packed_by_sites(const Cluster& cluster, const Placement& placement, Rank root,
                                                unsigned k, Direction direction);

}  // namespace trunkline
