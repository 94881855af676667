// SPDX-License-Identifier: Apache-2.0
// Earliest completing edge first (Bhat, Raghavendra, Prasanna: "Efficient Collective Communication in Distributed
// Heterogeneous Systems", 1999), with or without look-ahead. Steps O(E log E) where few edges wait long in the heap.
// By sites it has one message into each, as MagPIe (Kielmann, Hofman, Bal, Plaat, Bhoedjang, 1999).
#include <algorithm>
#include <queue>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/schedule.hpp"
#include "weighted_graph/sites.hpp"

namespace trunkline {
namespace {

/// Keys never fall: senders become free later, and what a receiver could send to grows less. So an edge that leaves the
/// heap with a key that is still true is the first of all, and any other goes back with its new key.
class EarliestEdgeGrowth {
 public:
  EarliestEdgeGrowth(const WeightedGraph& graph, Rank root, const EarliestEdge& how)
      : graph_(graph), how_(how), tree_(root_alone(graph.size(), root)), has_(graph.size(), false) {
    free_at_.assign(graph.size(), 0.0);
    if (!how.sites.empty()) entered_.assign(1 + std::ranges::max(how.sites), false);
    if (how.looks_ahead) read_next_edges();
    take(root, 0.0);
  }

  Tree run() {
    while (!heap_.empty()) {
      Waiting first = heap_.top();
      heap_.pop();
      if (has_[first.edge.to] || is_closed(first)) continue;
      const double key_s = key_of(first);
      if (key_s > first.key_s) {
        first.key_s = key_s;
        heap_.push(first);
        continue;
      }
      add_child(tree_, first.from, first.edge.to);
      free_at_[first.from] += first.edge.injection_s;
      take(first.edge.to, free_at_[first.from] + first.edge.weight_s);
    }
    label(graph_, tree_);
    return tree_;
  }

 private:
  struct Waiting {
    double key_s;
    Rank from;
    WeightedEdge edge;

    /// The least leaves a std::priority_queue first; of equal ones that of the least numbers.
    bool operator<(const Waiting& other) const {
      if (key_s != other.key_s) return key_s > other.key_s;
      return from != other.from ? from > other.from : edge.to > other.edge.to;
    }
  };

  void read_next_edges() {
    std::vector<WeightedEdge> room;
    for (Rank from = 0; from < graph_.size(); ++from) {
      const auto row = graph_.edges_of(from, room);
      next_.emplace_back(row.begin(), row.end());
      std::ranges::sort(next_.back(), {}, &WeightedEdge::transfer_s);
    }
    at_.assign(graph_.size(), 0);
  }

  [[nodiscard]] bool is_closed(const Waiting& one) const {
    return !entered_.empty() && how_.sites[one.from] != how_.sites[one.edge.to] && entered_[how_.sites[one.edge.to]];
  }

  double key_of(const Waiting& one) {
    return free_at_[one.from] + one.edge.transfer_s() + (how_.looks_ahead ? ahead_s(one.edge.to) : 0.0);
  }

  /// Where nothing is left to send to, the last one still counts: a key must not fall.
  double ahead_s(Rank from) {
    const std::vector<WeightedEdge>& row = next_[from];
    if (row.empty()) return 0.0;
    std::size_t& at = at_[from];
    while (at + 1 < row.size() && has_[row[at].to]) ++at;
    return row[at].transfer_s();
  }

  void take(Rank rank, double arrival_s) {
    has_[rank] = true;
    free_at_[rank] = arrival_s;
    if (!entered_.empty()) entered_[how_.sites[rank]] = true;
    for (const WeightedEdge& edge : graph_.edges_of(rank, room_)) {
      if (has_[edge.to]) continue;
      Waiting one{.key_s = 0.0, .from = rank, .edge = edge};
      one.key_s = key_of(one);
      heap_.push(one);
    }
  }

  const WeightedGraph& graph_;
  const EarliestEdge& how_;
  Tree tree_;
  std::vector<bool> has_;
  std::vector<bool> entered_;
  std::vector<double> free_at_;
  std::vector<std::vector<WeightedEdge>> next_;  ///< by rising transfer_s
  std::vector<std::size_t> at_;                  ///< the first of these whose receiver lacks the message
  std::priority_queue<Waiting> heap_;
  std::vector<WeightedEdge> room_;
};

}  // namespace

Tree earliest_edge_tree(const WeightedGraph& graph, Rank root, const EarliestEdge& how) {
  check_reachable(graph, root);
  return EarliestEdgeGrowth(graph, root, how).run();
}

Tree by_sites_tree(const WeightedGraph& graph, Rank root) {
  const std::vector<Rank> sites = sites_of(graph);
  return earliest_edge_tree(graph, root, {.sites = sites});
}

}  // namespace trunkline
