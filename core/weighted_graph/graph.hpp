// SPDX-License-Identifier: Apache-2.0
// A directed graph of hosts with a weight and an injection time an edge, for one size of message: what the paper on
// broadcasts in grids plans over (Mateescu, Taylor: "Efficient Broadcast on Computational Grids", section 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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

/// What sending costs the sender: so much a message, and so much a byte.
struct Injection {
  double message_s = 0.0;
  double byte_s = 0.0;

  [[nodiscard]] constexpr double seconds(std::uint64_t bytes) const {
    return message_s + static_cast<double>(bytes) * byte_s;
  }
};

/// Throws std::invalid_argument that begins with `whose` where a number is negative or not finite.
void check_injection(const Injection& injection, const std::string& whose);

/// One way between two hosts. The other way is another one, or there is none.
struct WideEdge {
  Rank from = 0;
  Rank to = 0;
  double latency_s = 0.0;
  double bandwidth_Bps = 0.0;            ///< bytes a second; infinity: bytes take no time
  std::optional<Injection> injection{};  ///< of sends along this edge; else its sender's
};

/// What a message of `bytes` weighs on each edge: w = latency + bytes / bandwidth, less what of the bytes' time the
/// injection takes already, since a byte that is injected is on its way; Delta = the injection.
/// `injection` has one entry a host. Throws std::invalid_argument naming the edge or host where a latency or an
/// injection is negative or not finite, a bandwidth is not above zero, or as StoredGraph does.
[[nodiscard]] StoredGraph weigh(std::span<const Injection> injection, std::span<const WideEdge> edges,
                                std::uint64_t bytes);

}  // namespace trunkline
