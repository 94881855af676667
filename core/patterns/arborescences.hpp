// SPDX-License-Identifier: Apache-2.0
// Several trees from one root through a graph of sites, so that together they bring as much as its links allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline {

/// Places and the ways between them. Several ways may lead from one to another.
struct SiteGraph {
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double latency_s = 0.0;
    std::vector<std::uint32_t> channels{};  ///< that it crosses, each once; several arcs may cross one
  };

  std::uint32_t sites = 0;
  std::vector<double> rates;  ///< by channel, above zero: how much it carries
  std::vector<Arc> arcs;
};

/// Trees that each carry the same part of a message.
struct Packing {
  std::vector<std::vector<std::uint32_t>> trees;  ///< by tree: its arcs, one into each site but the root, from it on
  double rate = 0.0;  ///< of all together, in the unit of `rates`: until the fullest channel is full
};

/// The most that a site can get from the root, along any ways: the minimal cut between them. Where arcs share channels
/// it is an upper bound. Infinite for the root itself. Throws std::invalid_argument as below.
[[nodiscard]] double most_rate(const SiteGraph& graph, std::uint32_t root, std::uint32_t site);

/// What no number of trees can carry more than: the least of that of all sites.
[[nodiscard]] double most_rate(const SiteGraph& graph, std::uint32_t root);

/// Arborescences, at most `most_trees` of them: so many that no fewer carry as much but for a twentieth, and no more
/// than carry `enough`. For each number of trees their rate is the highest that so many equal parts allow where arcs
/// share no channels: by Edmonds' theorem ("Edge-disjoint branchings", 1973) there are k disjoint ones where every cut
/// has k arcs, and they are found arc by arc as in Lovasz' proof ("On two minimax theorems in graph", 1976). Of arcs
/// that may be taken, the one by which a site is reached earliest is. Where arcs share channels it may be less. No
/// trees where a site cannot be reached. Time O(most_trees^2 * sites * arcs^2) at worst. Throws std::invalid_argument
/// where the root, a site or a channel is not there, or a rate is not above zero.
[[nodiscard]] Packing pack_arborescences(const SiteGraph& graph, std::uint32_t root, std::size_t most_trees,
                                         double enough);

}  // namespace trunkline
