// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/sites.hpp"

#include <algorithm>
#include <iterator>

#include "network/spanning_tree.hpp"

namespace trunkline {
namespace {

struct PairBothWays {
  double seconds;
  Rank one;
  Rank other;
};

}  // namespace

std::vector<Rank> sites_of(const WeightedGraph& graph) {
  std::vector<PairBothWays> pairs;
  std::vector<WeightedEdge> room;
  for (Rank one = 0; one < graph.size(); ++one) {
    for (const WeightedEdge& edge : graph.edges_of(one, room)) {
      if (edge.to < one) continue;
      const auto back = graph.find(edge.to, one);
      if (back) pairs.push_back({std::max(edge.transfer_s(), back->transfer_s()), one, edge.to});
    }
  }
  std::ranges::stable_sort(pairs, {}, &PairBothWays::seconds);
  std::vector<PairBothWays> joins;
  DisjointSets all(graph.size());
  std::ranges::copy_if(pairs, std::back_inserter(joins),
                       [&](const PairBothWays& pair) { return all.join(pair.one, pair.other); });
  std::size_t near = joins.size();
  double widest = least_gap_of_sites;
  for (std::size_t next = 1; next < joins.size(); ++next) {
    if (joins[next - 1].seconds <= 0.0) continue;
    const double gap = joins[next].seconds / joins[next - 1].seconds;
    if (gap < widest) continue;
    widest = gap;
    near = next;
  }
  DisjointSets sites(graph.size());
  for (std::size_t join = 0; join < near; ++join) sites.join(joins[join].one, joins[join].other);
  std::vector<Rank> site(graph.size());
  std::vector<Rank> first(graph.size(), no_rank);  // of each set, by its number
  for (Rank vertex = 0; vertex < graph.size(); ++vertex) {
    Rank& one = first[sites.find(vertex)];
    if (one == no_rank) one = vertex;
    site[vertex] = one;
  }
  return site;
}

}  // namespace trunkline
