// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/sites.hpp"

#include <algorithm>
#include <numeric>

namespace trunkline {
namespace {

struct PairBothWays {
  double seconds;
  Rank one;
  Rank other;
};

/// Sets of vertices that were joined, by one of each.
class JoinedVertices {
 public:
  explicit JoinedVertices(Rank size) : above_(size) { std::iota(above_.begin(), above_.end(), Rank{0}); }

  Rank first_of(Rank vertex) {
    while (above_[vertex] != vertex) {
      above_[vertex] = above_[above_[vertex]];
      vertex = above_[vertex];
    }
    return vertex;
  }
  /// False where they were together before. The least number stands for all.
  bool join(Rank one, Rank other) {
    one = first_of(one);
    other = first_of(other);
    above_[std::max(one, other)] = std::min(one, other);
    return one != other;
  }

 private:
  std::vector<Rank> above_;
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
  JoinedVertices all(graph.size());
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
  JoinedVertices sites(graph.size());
  for (std::size_t join = 0; join < near; ++join) sites.join(joins[join].one, joins[join].other);
  std::vector<Rank> site(graph.size());
  for (Rank vertex = 0; vertex < graph.size(); ++vertex) site[vertex] = sites.first_of(vertex);
  return site;
}

}  // namespace trunkline
