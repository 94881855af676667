// SPDX-License-Identifier: Apache-2.0
// Plain shortest paths with labelled sends (Dijkstra; Mandal, Kennedy, Mellor-Crummey, 2001): blind to what many sends
// of one host cost together. O(V log V + E) as wave.
#include <limits>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/indexed_heap.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {

Tree shortest_paths_tree(const WeightedGraph& graph, Rank root) {
  check_reachable(graph, root);
  std::vector<double> dist(graph.size(), std::numeric_limits<double>::infinity());
  std::vector<Rank> parent(graph.size(), no_rank);
  std::vector<WeightedEdge> room;
  IndexedHeap queue(graph.size());
  dist[root] = 0.0;
  queue.lower(root, 0.0);
  while (!queue.empty()) {
    const Rank u = queue.pop();
    for (const WeightedEdge& e : graph.edges_of(u, room)) {
      if (dist[e.to] <= dist[u] + e.transfer_s()) continue;
      dist[e.to] = dist[u] + e.transfer_s();
      parent[e.to] = u;
      queue.lower(e.to, dist[e.to]);
    }
  }
  Tree tree = tree_by_parents(root, parent);
  label(graph, tree);
  return tree;
}

}  // namespace trunkline
