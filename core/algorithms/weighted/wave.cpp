// SPDX-License-Identifier: Apache-2.0
// Shortest paths that count what sends cost their senders (Mateescu, Taylor: "Efficient Broadcast on Computational
// Grids", figure 2), with the order of sends of its figure 3. O(V log V + E) with a heap whose keys fall in constant
// time; the heap here takes O((V + E) log V) at worst, and about as long as the former on random graphs.
#include <limits>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/indexed_heap.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline {

Tree wave_tree(const WeightedGraph& graph, Rank root) {
  check_reachable(graph, root);
  std::vector<double> dist(graph.size(), std::numeric_limits<double>::infinity());
  std::vector<bool> done(graph.size(), false);
  std::vector<Rank> parent(graph.size(), no_rank);
  std::vector<WeightedEdge> room;
  IndexedHeap queue(graph.size());  // the paper has all vertices in it; those without a distance are left out
  dist[root] = 0.0;
  queue.lower(root, 0.0);
  while (!queue.empty()) {
    const Rank u = queue.pop();
    done[u] = true;
    for (const WeightedEdge& e : graph.edges_of(u, room)) {
      const Rank v = e.to;
      if (done[v] || dist[v] <= dist[u] + e.weight_s + e.injection_s) continue;
      dist[v] = dist[u] + e.weight_s + e.injection_s;
      dist[u] += e.injection_s;
      parent[v] = u;
      queue.lower(v, dist[v]);
    }
  }
  Tree tree = tree_by_parents(root, parent);
  label(graph, tree);
  return tree;
}

}  // namespace trunkline
