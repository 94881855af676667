// SPDX-License-Identifier: Apache-2.0
// A directed graph of hosts with a weight and an injection time an edge, for one size of message: what the paper on
// broadcasts in grids plans over (Mateescu, Taylor: "Efficient Broadcast on Computational Grids", section 1).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "network/placement.hpp"

namespace trunkline {

/// One way from a vertex to another.
struct WeightedEdge {
  Rank to = 0;
  double weight_s = 0.0;     ///< w(e): seconds from the end of the injection until the receiver has the message
  double injection_s = 0.0;  ///< Delta(e): seconds for which the sender can send nothing else

  /// From the moment at which the sender begins.
  [[nodiscard]] constexpr double transfer_s() const { return injection_s + weight_s; }
};

/// An edge with where it starts.
struct DirectedEdge {
  Rank from = 0;
  WeightedEdge edge;
};

/// Vertices are numbered from 0. Edges may be stored, or made a row at a time.
class WeightedGraph {
 public:
  virtual ~WeightedGraph() = default;
  WeightedGraph() = default;
  WeightedGraph(const WeightedGraph&) = default;
  WeightedGraph& operator=(const WeightedGraph&) = default;
  WeightedGraph(WeightedGraph&&) = default;
  WeightedGraph& operator=(WeightedGraph&&) = default;

  [[nodiscard]] virtual Rank size() const = 0;

  /// Edges that leave a vertex, by rising number of where they lead. They may lie in `room`, and are good until it is
  /// used again.
  [[nodiscard]] virtual std::span<const WeightedEdge> edges_of(Rank from, std::vector<WeightedEdge>& room) const = 0;

  /// Empty where no edge leads there.
  [[nodiscard]] virtual std::optional<WeightedEdge> find(Rank from, Rank to) const = 0;
};

/// Edges in rows one after another. Time and memory O(vertices + edges).
class StoredGraph final : public WeightedGraph {
 public:
  /// In any order. Throws std::invalid_argument naming the edge where a vertex is out of range, an edge leads back to
  /// where it starts or is given twice, or a number is negative or not finite.
  StoredGraph(Rank vertices, std::span<const DirectedEdge> edges);

  [[nodiscard]] Rank size() const override { return static_cast<Rank>(begin_.size() - 1); }
  [[nodiscard]] std::size_t edges() const { return edges_.size(); }
  [[nodiscard]] std::span<const WeightedEdge> edges_of(Rank from) const;
  [[nodiscard]] std::span<const WeightedEdge> edges_of(Rank from, std::vector<WeightedEdge>& room) const override;
  /// Time O(log(edges that leave the vertex)).
  [[nodiscard]] std::optional<WeightedEdge> find(Rank from, Rank to) const override;

 private:
  std::vector<std::size_t> begin_;  ///< of each row, and the end of the last one
  std::vector<WeightedEdge> edges_;
};

/// The vertices that no path from `root` leads to, by rising number. Throws std::invalid_argument where `root` is no
/// vertex. Time O(vertices + edges).
[[nodiscard]] std::vector<Rank> unreached(const WeightedGraph& graph, Rank root);

/// Throws std::invalid_argument naming some of the vertices that no path from `root` leads to, or where `root` is no
/// vertex. Time O(vertices + edges).
void check_reachable(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
