// SPDX-License-Identifier: Apache-2.0
// Which links of a redundant network the plans use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

/// Sets of nodes that can be joined; near-constant time an operation.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : above_(count), size_(count, 1) {
    std::iota(above_.begin(), above_.end(), 0U);
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t element) {
    while (above_[element] != element) {
      above_[element] = above_[above_[element]];
      element = above_[element];
    }
    return element;
  }

  /// False where both were in one set already.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) {
      return false;
    }
    if (size_[a] < size_[b]) {
      std::swap(a, b);
    }
    above_[b] = a;
    size_[a] += size_[b];
    return true;
  }

 private:
  std::vector<std::uint32_t> above_;
  std::vector<std::uint32_t> size_;
};

/// Kruskal's algorithm: marks `in_tree` on links by highest rate of one link in its slower direction, then width, then
/// lowest latency there and back, then order of the links. `last`, by link, or empty: those that come after all others.
inline void mark_spanning_tree(std::size_t node_count, std::span<Link> links, const std::vector<bool>& last = {}) {
  std::vector<LinkId> order(links.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](LinkId left, LinkId right) {
    const Link& a = links[left];
    const Link& b = links[right];
    if (!last.empty() && last[left] != last[right]) return last[right];
    if (a.least_bps() != b.least_bps()) return a.least_bps() > b.least_bps();  // no flow is faster than one link
    return a.width != b.width ? a.width > b.width : a.mean_latency_s() < b.mean_latency_s();
  });
  DisjointSets pieces(node_count);
  for (const LinkId link : order) {
    links[link].in_tree = pieces.join(links[link].a, links[link].b);
  }
}

}  // namespace trunkline
