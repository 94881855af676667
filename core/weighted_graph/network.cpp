// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace trunkline {

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
