// SPDX-License-Identifier: Apache-2.0
// The fastest of all broadcasts over a weighted graph, by dynamic programming over sets of hosts: a yardstick for small
// graphs. O(V 3^V) steps.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {
namespace {

class BestBySets {
 public:
  using Set = std::uint32_t;  ///< a bit a vertex

  explicit BestBySets(const WeightedGraph& graph) : size_(graph.size()), edges_(std::size_t{size_} * size_, no_edge) {
    std::vector<WeightedEdge> room;
    for (Rank u = 0; u < size_; ++u) {
      for (const WeightedEdge& edge : graph.edges_of(u, room)) edges_[u * size_ + edge.to] = edge;
    }
    seconds_.assign(std::size_t{size_} << size_, 0.0);
    for (Set set = 1; set < Set{1} << size_; ++set) {  // parts of a set come before it
      for (Rank u = 0; u < size_; ++u) {
        if (!holds(set, u)) seconds_[(std::size_t{u} << size_) + set] = best(u, set).seconds;
      }
    }
  }

  Tree tree(Rank root) const {
    Tree tree = root_alone(size_, root);
    std::vector<std::pair<Rank, Set>> open{{root, ((Set{1} << size_) - 1) & ~bit(root)}};
    while (!open.empty()) {
      const auto [u, set] = open.back();
      open.pop_back();
      if (set == 0) continue;
      const First first = best(u, set);
      if (first.to == no_rank) throw std::logic_error("no way leads into a set of vertices that can be reached");
      add_child(tree, u, first.to);
      open.emplace_back(u, set & ~first.part);
      open.emplace_back(first.to, first.part & ~bit(first.to));
    }
    return tree;
  }

 private:
  /// The first send: to whom, and whom that one serves, itself included.
  struct First {
    double seconds = std::numeric_limits<double>::infinity();
    Rank to = no_rank;
    Set part = 0;
  };

  static constexpr WeightedEdge no_edge{.weight_s = std::numeric_limits<double>::infinity()};
  static constexpr Set bit(Rank u) { return Set{1} << u; }
  static constexpr bool holds(Set set, Rank u) { return (set & bit(u)) != 0; }

  [[nodiscard]] double seconds(Rank u, Set set) const { return seconds_[(std::size_t{u} << size_) + set]; }

  [[nodiscard]] First best(Rank u, Set set) const {
    First least;
    for (Set part = set; part != 0; part = (part - 1) & set) {
      const double rest = seconds(u, set & ~part);
      if (rest >= least.seconds) continue;
      for (Set left = part; left != 0; left &= left - 1) {
        const auto v = static_cast<Rank>(std::countr_zero(left));
        const WeightedEdge& edge = edges_[u * size_ + v];
        const double all = edge.injection_s + std::max(edge.weight_s + seconds(v, part & ~bit(v)), rest);
        if (all < least.seconds) least = {.seconds = all, .to = v, .part = part};
      }
    }
    return least;
  }

  Rank size_;
  std::vector<WeightedEdge> edges_;
  std::vector<double> seconds_;  ///< f(u, S); infinite where no edges lead to all of S
};

}  // namespace

Tree optimal_tree(const WeightedGraph& graph, Rank root) {
  if (graph.size() > most_for_optimum) {
    throw std::invalid_argument("the optimum is found for up to " + std::to_string(most_for_optimum) + " vertices");
  }
  check_reachable(graph, root);
  Tree tree = BestBySets(graph).tree(root);
  label(graph, tree);
  return tree;
}

}  // namespace trunkline
