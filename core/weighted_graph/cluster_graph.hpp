// SPDX-License-Identifier: Apache-2.0
// A switched cluster as a weighted graph of its ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "network/paths.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// An edge from each rank to each other one, along the way that their messages take, for one message of `bytes`; made
/// when it is asked for, so that memory is O(ranks + nodes) and not the square of it.
///   Delta = what a message costs its host, and its bytes at the rate of the host's own link (or slower, where the host
///           takes longer for them)
///   w     = the latencies of all links on the way, and what the slowest link needs for the bytes beyond that.
/// Between ranks of one host there is no link: Delta is what the message costs the host, and w is 0. Switches that
/// store a frame before they forward it are not counted. Links side by side count as one of them. Weights know nothing
/// of what others send on the same links: for that, see Contention.
class ClusterGraph final : public WeightedGraph {
 public:
  /// `injection` has one entry a host of the cluster. `paths` and `placement` must outlive the object. Throws
  /// std::invalid_argument where a host of `placement` is not in the cluster, or an injection is negative or not
  /// finite.
  ClusterGraph(const Paths& paths, const Placement& placement, std::vector<Injection> injection, std::uint64_t bytes);

  [[nodiscard]] Rank size() const override { return static_cast<Rank>(placement_.size()); }
  /// Time O(nodes + ranks): one walk over the spanning tree from the rank's host. By routes O(ranks * links on a way).
  [[nodiscard]] std::span<const WeightedEdge> edges_of(Rank from, std::vector<WeightedEdge>& room) const override;
  /// Time O(log(nodes) + links on the way).
  [[nodiscard]] std::optional<WeightedEdge> find(Rank from, Rank to) const override;

 private:
  [[nodiscard]] std::span<const WeightedEdge> edges_along_tree(Rank from, std::vector<WeightedEdge>& room) const;
  [[nodiscard]] WeightedEdge edge(Rank from, Rank to, double latency_s, double slowest_byte_s) const;

  const Paths& paths_;
  const Placement& placement_;
  std::vector<Injection> injection_;  ///< with the bytes at the rate of the host's link
  std::vector<Injection> within_;     ///< between ranks of one host
  double bytes_;
};

}  // namespace trunkline
