// SPDX-License-Identifier: Apache-2.0
// wave, without charges for children that went to another parent. As wave, and a pass over the old parent's children
// each time a vertex changes parents.
#include <algorithm>
#include <limits>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/indexed_heap.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {
namespace {

class MendedWave {
 public:
  MendedWave(const WeightedGraph& graph, Rank root)
      : graph_(graph),
        tree_(root_alone(graph.size(), root)),
        dist_(graph.size(), std::numeric_limits<double>::infinity()),
        charged_s_(graph.size(), 0.0),
        done_(graph.size(), false),
        queue_(graph.size()) {
    dist_[root] = 0.0;
    queue_.lower(root, 0.0);
  }

  Tree run() {
    std::vector<WeightedEdge> room;
    while (!queue_.empty()) {
      const Rank u = queue_.pop();
      done_[u] = true;
      double free_at = dist_[u];
      for (const WeightedEdge& e : graph_.edges_of(u, room)) {
        const double arrival = free_at + e.transfer_s();
        if (done_[e.to] || dist_[e.to] <= arrival) continue;
        if (tree_.parent[e.to] != no_rank) leave_parent(e.to);
        add_child(tree_, u, e.to);
        charged_s_[e.to] = e.injection_s;
        dist_[e.to] = arrival;
        queue_.lower(e.to, arrival);
        free_at += e.injection_s;
      }
    }
    label(graph_, tree_);
    return tree_;
  }

 private:
  /// Its parent has left the queue before; those children of it that have, too, sent their messages on already.
  void leave_parent(Rank child) {
    std::vector<Rank>& siblings = tree_.children[tree_.parent[child]];
    auto after = siblings.erase(std::ranges::find(siblings, child));
    for (; after != siblings.end(); ++after) {
      if (done_[*after]) continue;
      dist_[*after] -= charged_s_[child];
      queue_.lower(*after, dist_[*after]);
    }
  }

  const WeightedGraph& graph_;
  Tree tree_;
  std::vector<double> dist_;
  std::vector<double> charged_s_;  ///< to the parent, for the child
  std::vector<bool> done_;
  IndexedHeap queue_;
};

}  // namespace

Tree wave_mended_tree(const WeightedGraph& graph, Rank root) {
  check_reachable(graph, root);
  return MendedWave(graph, root).run();
}

}  // namespace trunkline
