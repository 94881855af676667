// SPDX-License-Identifier: Apache-2.0
// The best of all other shapes, improved step by step. O(V^2) steps a round, each O(V log V), with an end in sight.
#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {
namespace {

/// Seconds until the last host has the message; then the sum over all hosts, so that steps lead on over plateaus.
using Score = std::pair<double, double>;

/// Less by more than rounding: else two trees of one score could follow each other for ever.
bool is_better(const Score& one, const Score& other) {
  constexpr double least_part = 1e-12;
  if (one.first < other.first * (1.0 - least_part)) return true;
  return one.first <= other.first && one.second < other.second * (1.0 - least_part);
}

class Improvement {
 public:
  /// `hosts_tried` counts those of all trees that were tried. Throws std::invalid_argument where the start uses an edge
  /// that is not there.
  Improvement(const WeightedGraph& graph, const Tree& start, std::size_t& hosts_tried)
      : graph_(graph), root_(start.root), parent_(start.parent), hosts_tried_(&hosts_tried) {
    static_cast<void>(edges_of_tree(graph, start));
    score_ = *score_of(parent_);
    descend();
  }

  [[nodiscard]] double seconds() const { return score_.first; }
  [[nodiscard]] bool has_tried_enough() const { return *hosts_tried_ >= most_hosts_tried; }

  /// Moves a few subtrees at random, descends from there, and keeps that where it is better.
  void kick(std::minstd_rand& random) {
    constexpr int moves = 3;
    const Parents parent_before = parent_;
    const Score score_before = score_;
    for (int move = 0; move < moves; ++move) {
      Parents parent = parent_;
      const auto rank = static_cast<Rank>(random() % parent.size());
      const auto to = static_cast<Rank>(random() % parent.size());
      if (rank == root_ || rank == to) continue;
      parent[rank] = to;
      const auto score = score_of(parent);
      if (!score) continue;
      parent_ = std::move(parent);
      score_ = *score;
    }
    descend();
    if (is_better(score_, score_before)) return;
    parent_ = parent_before;
    score_ = score_before;
  }

  [[nodiscard]] Tree tree() const {
    Tree tree = tree_by_parents(root_, parent_);
    label(graph_, tree);
    return tree;
  }

 private:
  using Parents = std::vector<Rank>;

  void descend() {
    while (move_any() || swap_any()) {
    }
  }

  /// Empty where an edge is missing or the parents go round in a circle.
  [[nodiscard]] std::optional<Score> score_of(const Parents& parent) const {
    *hosts_tried_ += parent.size();
    for (Rank rank = 0; rank < parent.size(); ++rank) {
      if (rank != root_ && !graph_.find(parent[rank], rank)) return std::nullopt;
    }
    Tree tree = tree_by_parents(root_, parent);
    if (parents_first(tree).size() != tree.size()) return std::nullopt;
    label(graph_, tree);
    const std::vector<double> arrivals = arrivals_s(graph_, tree);
    return Score{std::ranges::max(arrivals), std::accumulate(arrivals.begin(), arrivals.end(), 0.0)};
  }

  bool take_if_better(Parents parent) {
    const auto score = score_of(parent);
    if (!score || !is_better(*score, score_)) return false;
    score_ = *score;
    parent_ = std::move(parent);
    return true;
  }

  /// A host, with all below it, to another parent; or alone, and its children stay with its parent.
  bool move_any() {
    for (Rank rank = 0; rank < parent_.size() && !has_tried_enough(); ++rank) {
      if (rank == root_) continue;
      for (Rank to = 0; to < parent_.size(); ++to) {
        if (to == rank) continue;
        Parents below = parent_;
        below[rank] = to;
        if (take_if_better(below)) return true;
        std::ranges::replace(below, rank, parent_[rank]);
        if (take_if_better(std::move(below))) return true;
      }
    }
    return false;
  }

  /// Two hosts that take each other's place.
  bool swap_any() {
    for (Rank one = 0; one < parent_.size() && !has_tried_enough(); ++one) {
      for (Rank other = one + 1; other < parent_.size(); ++other) {
        if (one == root_ || other == root_) continue;
        const auto swapped = [&](Rank rank) { return rank == one ? other : rank == other ? one : rank; };
        Parents parent = parent_;
        for (Rank rank = 0; rank < parent.size(); ++rank) {
          if (rank != root_) parent[swapped(rank)] = swapped(parent_[rank]);
        }
        if (take_if_better(std::move(parent))) return true;
      }
    }
    return false;
  }

  const WeightedGraph& graph_;
  Rank root_;
  Parents parent_;
  Score score_;
  std::size_t* hosts_tried_;
};

}  // namespace

Tree improved_tree(const WeightedGraph& graph, const std::vector<Tree>& starts) {
  if (starts.empty()) throw std::invalid_argument("a local search starts from at least one tree");
  constexpr int kicks = 12;    // of each start: what one of them cannot leave, another one is past
  std::minstd_rand random(1);  // the same plan every time, on every machine
  std::size_t hosts_tried = 0;
  std::optional<Improvement> best;
  for (const Tree& start : starts) {
    Improvement improved(graph, start, hosts_tried);
    for (int kick = 0; kick < kicks && !improved.has_tried_enough(); ++kick) improved.kick(random);
    if (!best || improved.seconds() < best->seconds()) best.emplace(std::move(improved));
  }
  return best->tree();
}

Tree local_search_tree(const WeightedGraph& graph, Rank root) {
  return improved_tree(graph,
                       {wave_tree(graph, root), wave_mended_tree(graph, root), shortest_paths_tree(graph, root),
                        earliest_edge_tree(graph, root, {}), earliest_edge_tree(graph, root, {.looks_ahead = true}),
                        fastest_node_tree(graph, root), by_sites_tree(graph, root)});
}

}  // namespace trunkline
