// SPDX-License-Identifier: Apache-2.0
// Which links of a redundant network the plans use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

/// Sets of nodes that can be joined; near-constant time an operation.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count);
  [[nodiscard]] std::uint32_t find(std::uint32_t element);
  /// False where both were in one set already.
  bool join(std::uint32_t a, std::uint32_t b);

 private:
  std::vector<std::uint32_t> above_;
  std::vector<std::uint32_t> size_;
};

/// Kruskal's algorithm: marks `in_tree` on links by highest rate of one link in its slower direction, then width, then
/// lowest latency there and back, then order of the links. `last`, by link, or empty: those that come after all others.
void mark_spanning_tree(std::size_t node_count, std::span<Link> links, const std::vector<bool>& last = {});

}  // namespace trunkline
