// SPDX-License-Identifier: Apache-2.0
// Random weighted graphs, and the fastest broadcast over them by trying all.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "weighted_graph/graph.hpp"
#include "weighted_graph/schedule.hpp"

namespace trunkline::testing {

/// Strongly connected: a ring through all, and other edges at random; injection by edge, or by host. Whole numbers of
/// seconds, some of them 0, so that times are exact and ties are met.
inline StoredGraph random_weighted(Rank least, Rank most) {
  const auto size = *rc::gen::inRange<Rank>(least, most + 1);
  const auto density = *rc::gen::inRange(0, 101);
  const auto far = *rc::gen::element(3, 20, 1000);
  const auto busy = *rc::gen::element(1, 5, 100);
  const auto by_edge = *rc::gen::arbitrary<bool>();
  std::vector<DirectedEdge> edges;
  for (Rank from = 0; from < size; ++from) {
    const double own = *rc::gen::inRange(0, busy);
    for (Rank to = 0; to < size; ++to) {
      const bool on_ring = to == (from + 1) % size;
      if (from == to || (!on_ring && *rc::gen::inRange(0, 100) >= density)) continue;
      const double injection = by_edge ? *rc::gen::inRange(0, busy) : own;
      const double weight = *rc::gen::inRange(0, far);
      edges.push_back({.from = from, .edge = {.to = to, .weight_s = weight, .injection_s = injection}});
    }
  }
  return {size, edges};
}

/// Every order in which the message can spread: each host with it sends to each one without it next. Sends of different
/// hosts commute, so all trees with all orders of sends are met.
inline double least_by_trying(const WeightedGraph& graph, std::vector<double>& free_at, double last) {
  constexpr double without = std::numeric_limits<double>::infinity();
  bool all = true;
  double least = without;
  for (Rank to = 0; to < graph.size(); ++to) {
    if (free_at[to] != without) continue;
    all = false;
    for (Rank from = 0; from < graph.size(); ++from) {
      if (free_at[from] == without) continue;
      const auto edge = graph.find(from, to);
      if (!edge) continue;
      const double before = free_at[from];
      free_at[from] += edge->injection_s;
      free_at[to] = free_at[from] + edge->weight_s;
      least = std::min(least, least_by_trying(graph, free_at, std::max(last, free_at[to])));
      free_at[from] = before;
      free_at[to] = without;
    }
  }
  return all ? last : least;
}

inline double least_by_trying(const WeightedGraph& graph, Rank root) {
  std::vector<double> free_at(graph.size(), std::numeric_limits<double>::infinity());
  free_at[root] = 0.0;
  return least_by_trying(graph, free_at, 0.0);
}

}  // namespace trunkline::testing
