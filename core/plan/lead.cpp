// SPDX-License-Identifier: Apache-2.0
#include "plan/lead.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trunkline {
namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();
/// Walks that turn so often go round a circle for all but a few hops at their ends.
constexpr int turns = 32;

/// What a hop takes a segment of one of the trees, in transfers of one segment of each: it is sent, handed on by a
/// switch, and waits for its turn behind those of the other trees. From simulations at 10 Mbit/s to 10 Gbit/s.
constexpr double transfers_a_hop = 5.0 / 3.0;
constexpr double least_lead = 2.0;

bool passes_on(const Tree& tree, Rank rank) { return rank != tree.root && !tree.children[rank].empty(); }

}  // namespace

double hops_for_each_lead(const std::vector<Tree>& trees) {
  if (trees.size() < 2) return 0.0;
  std::vector<std::vector<Rank>> order;
  order.reserve(trees.size());
  for (const Tree& tree : trees) {
    std::vector<Rank>& inner = order.emplace_back(parents_first(tree));
    std::erase_if(inner, [&](Rank rank) { return !passes_on(tree, rank); });
  }
  // By tree and rank that is an inner one there: hops of the longest walk up from it with so many turns.
  const std::vector<std::vector<double>> none(trees.size(), std::vector<double>(trees.front().size(), nowhere));
  std::vector<std::vector<double>> before(trees.size(), std::vector<double>(trees.front().size(), 0.0));
  for (int turn = 0; turn < turns; ++turn) {
    auto now = none;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      for (const Rank rank : order[t]) {
        double& most = now[t][rank];
        const Rank above = trees[t].parent[rank];
        if (passes_on(trees[t], above)) most = 1.0 + now[t][above];
        for (std::size_t u = 0; u < trees.size(); ++u) {
          const Rank other = trees[u].parent[rank];
          if (u == t || !trees[u].children[rank].empty() || other == no_rank) continue;
          if (passes_on(trees[u], other)) most = std::max(most, 1.0 + before[u][other]);
        }
      }
    }
    before = std::move(now);
  }
  double most = nowhere;
  for (const auto& tree : before) most = std::max(most, *std::ranges::max_element(tree));
  return std::max(0.0, most / turns);
}

std::uint64_t lead_of(std::uint64_t trees, std::uint64_t segment_bytes, const InFlight& in_flight) {
  const double delay = static_cast<double>(in_flight.delay_bytes) / static_cast<double>(trees * segment_bytes);
  return static_cast<std::uint64_t>(
      std::round(std::max(least_lead, in_flight.hops_for_each_lead * (transfers_a_hop + delay))));
}

}  // namespace trunkline
