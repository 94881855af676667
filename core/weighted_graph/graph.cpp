// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/graph.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace trunkline {
namespace {

[[noreturn]] void refuse_edge(Rank from, Rank to, const std::string& what) {
  throw std::invalid_argument("edge " + std::to_string(from) + " -> " + std::to_string(to) + ": " + what);
}

/// Thirty years: no message takes longer. Sums of what is longer could be no numbers.
constexpr double most_seconds = 1e9;

void check_seconds(Rank from, Rank to, const char* name, double seconds) {
  if (!std::isfinite(seconds)) refuse_edge(from, to, std::string("its ") + name + " is missing: no finite number");
  if (seconds < 0.0)
    refuse_edge(from, to, std::string("its ") + name + " is negative: " + std::to_string(seconds) + " s");
  if (seconds > most_seconds) refuse_edge(from, to, std::string("its ") + name + " is longer than thirty years");
}

}  // namespace

StoredGraph::StoredGraph(Rank vertices, std::span<const DirectedEdge> edges)
    : begin_(std::size_t{vertices} + 1, 0), edges_(edges.size()) {
  for (const auto& [from, edge] : edges) {
    if (from >= vertices || edge.to >= vertices) {
      refuse_edge(from, edge.to, "vertices are 0 to " + std::to_string(std::int64_t{vertices} - 1));
    }
    if (from == edge.to) refuse_edge(from, edge.to, "it leads back to where it starts");
    check_seconds(from, edge.to, "weight", edge.weight_s);
    check_seconds(from, edge.to, "injection time", edge.injection_s);
    ++begin_[from + 1];
  }
  for (Rank from = 0; from < vertices; ++from) begin_[from + 1] += begin_[from];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [from, edge] : edges) edges_[next[from]++] = edge;
  for (Rank from = 0; from < vertices; ++from) {
    const std::span<WeightedEdge> row = std::span(edges_).subspan(begin_[from], begin_[from + 1] - begin_[from]);
    std::ranges::sort(row, {}, &WeightedEdge::to);
    const auto twice = std::ranges::adjacent_find(row, {}, &WeightedEdge::to);
    if (twice != row.end()) refuse_edge(from, twice->to, "it is given twice");
  }
}

std::span<const WeightedEdge> StoredGraph::edges_of(Rank from) const {
  return std::span(edges_).subspan(begin_[from], begin_[from + 1] - begin_[from]);
}

std::span<const WeightedEdge> StoredGraph::edges_of(Rank from, std::vector<WeightedEdge>& /*room*/) const {
  return edges_of(from);
}

std::optional<WeightedEdge> StoredGraph::find(Rank from, Rank to) const {
  const std::span<const WeightedEdge> row = edges_of(from);
  const auto found = std::ranges::lower_bound(row, to, {}, &WeightedEdge::to);
  if (found == row.end() || found->to != to) return std::nullopt;
  return *found;
}

std::vector<Rank> unreached(const WeightedGraph& graph, Rank root) {
  check_root(graph.size(), root);
  std::vector<bool> reached(graph.size(), false);
  reached[root] = true;
  std::vector<Rank> open{root};
  std::vector<WeightedEdge> room;
  while (!open.empty()) {
    const Rank from = open.back();
    open.pop_back();
    for (const WeightedEdge& edge : graph.edges_of(from, room)) {
      if (reached[edge.to]) continue;
      reached[edge.to] = true;
      open.push_back(edge.to);
    }
  }
  std::vector<Rank> missed;
  for (Rank vertex = 0; vertex < graph.size(); ++vertex) {
    if (!reached[vertex]) missed.push_back(vertex);
  }
  return missed;
}

void check_reachable(const WeightedGraph& graph, Rank root) {
  const std::vector<Rank> missed = unreached(graph, root);
  if (missed.empty()) return;
  constexpr std::size_t most_named = 5;
  const std::size_t named = std::min(missed.size(), most_named);
  std::string names;
  for (std::size_t one = 0; one < named; ++one) names += (one == 0 ? "" : ", ") + std::to_string(missed[one]);
  if (missed.size() > named) names += " and " + std::to_string(missed.size() - named) + " more";
  throw std::invalid_argument("no path leads from " + std::to_string(root) + " to " + names);
}

void check_injection(const Injection& injection, const std::string& whose) {
  for (const double seconds : {injection.message_s, injection.byte_s}) {
    if (!std::isfinite(seconds) || seconds < 0.0) {
      throw std::invalid_argument(whose + ": an injection time is a finite number, and not negative");
    }
  }
}

namespace {

void check_wide_edge(const WideEdge& edge, std::size_t hosts) {
  const std::string name = "edge " + std::to_string(edge.from) + " -> " + std::to_string(edge.to);
  if (edge.from >= hosts) throw std::invalid_argument(name + ": there are " + std::to_string(hosts) + " hosts");
  if (!std::isfinite(edge.latency_s) || edge.latency_s < 0.0) {
    throw std::invalid_argument(name + ": a latency is a finite number, and not negative");
  }
  if (!(edge.bandwidth_Bps > 0.0)) throw std::invalid_argument(name + ": a bandwidth is above zero");
  if (edge.injection) check_injection(*edge.injection, name);
}

}  // namespace

StoredGraph weigh(std::span<const Injection> injection, std::span<const WideEdge> edges, std::uint64_t bytes) {
  for (std::size_t host = 0; host < injection.size(); ++host) {
    check_injection(injection[host], "host " + std::to_string(host));
  }
  std::vector<DirectedEdge> weighed;
  weighed.reserve(edges.size());
  const auto size = static_cast<double>(bytes);
  for (const WideEdge& edge : edges) {
    check_wide_edge(edge, injection.size());
    const Injection& own = edge.injection ? *edge.injection : injection[edge.from];
    const double still_to_go = std::max(0.0, 1.0 / edge.bandwidth_Bps - own.byte_s);  // seconds a byte
    weighed.push_back(
        {.from = edge.from,
         .edge = {.to = edge.to, .weight_s = edge.latency_s + size * still_to_go, .injection_s = own.seconds(bytes)}});
  }
  return {static_cast<Rank>(injection.size()), weighed};
}

}  // namespace trunkline
