// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/cluster_graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace trunkline {

ClusterGraph::ClusterGraph(const Paths& paths, const Placement& placement, std::vector<Injection> injection,
                           std::uint64_t bytes)
    : paths_(paths),
      placement_(placement),
      injection_(injection),
      within_(std::move(injection)),
      bytes_(static_cast<double>(bytes)) {
  const Cluster& cluster = paths.cluster();
  if (injection_.size() != cluster.hosts().size()) {
    throw std::invalid_argument("injection times of " + std::to_string(injection_.size()) + " hosts for " +
                                std::to_string(cluster.hosts().size()));
  }
  for (HostIndex host = 0; host < injection_.size(); ++host) {
    check_injection(injection_[host], "host " + cluster.nodes()[cluster.hosts()[host]].name);
    const ChannelId own = cluster.neighbours(cluster.hosts()[host]).front().channel;
    injection_[host].byte_s = std::max(injection_[host].byte_s, paths.byte_s(own));
  }
  check_placement(cluster, placement, 0);
}

WeightedEdge ClusterGraph::edge(Rank from, Rank to, double latency_s, double slowest_byte_s) const {
  const HostIndex host = placement_[from];
  const Injection& own = host == placement_[to] ? within_[host] : injection_[host];
  return {.to = to,
          .weight_s = latency_s + bytes_ * std::max(0.0, slowest_byte_s - own.byte_s),
          .injection_s = own.message_s + bytes_ * own.byte_s};
}

std::optional<WeightedEdge> ClusterGraph::find(Rank from, Rank to) const {
  if (from == to) return std::nullopt;
  const std::span<const NodeId> hosts = paths_.cluster().hosts();
  const NodeId u = hosts[placement_[from]];
  const NodeId v = hosts[placement_[to]];
  const NodeId meeting = paths_.meeting(u, v);
  double latency_s = 0.0;  // summed as edges_along_tree() does, so that both say the same to the last bit
  for (const ChannelId channel : paths_.cluster().path(u, v)) latency_s += paths_.cluster().way(channel).latency_s;
  return edge(from, to, latency_s, paths_.slowest_byte_s(u, v, meeting));
}

std::span<const WeightedEdge> ClusterGraph::edges_of(Rank from, std::vector<WeightedEdge>& room) const {
  if (paths_.routes() == nullptr) return edges_along_tree(from, room);
  room.clear();
  for (Rank to = 0; to < size(); ++to) {
    if (to != from) room.push_back(*find(from, to));
  }
  return room;
}

std::span<const WeightedEdge> ClusterGraph::edges_along_tree(Rank from, std::vector<WeightedEdge>& room) const {
  struct Way {
    double latency_s = 0.0;
    double slowest_byte_s = 0.0;
  };
  const Cluster& cluster = paths_.cluster();
  std::vector<Way> ways(cluster.nodes().size());
  struct Step {
    NodeId at;
    NodeId before;
  };
  const NodeId start = cluster.hosts()[placement_[from]];
  std::vector<Step> open{{start, start}};
  while (!open.empty()) {
    const auto [at, before] = open.back();
    open.pop_back();
    for (const Cluster::Hop& hop : cluster.neighbours(at)) {
      if (hop.to == before) continue;
      ways[hop.to] = {.latency_s = ways[at].latency_s + cluster.way(hop.channel).latency_s,
                      .slowest_byte_s = std::max(ways[at].slowest_byte_s, paths_.byte_s(hop.channel))};
      open.push_back({hop.to, at});
    }
  }
  room.clear();
  for (Rank to = 0; to < size(); ++to) {
    if (to == from) continue;
    const Way& way = ways[cluster.hosts()[placement_[to]]];
    room.push_back(edge(from, to, way.latency_s, way.slowest_byte_s));
  }
  return room;
}

}  // namespace trunkline
