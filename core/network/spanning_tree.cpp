// SPDX-License-Identifier: Apache-2.0
#include "network/spanning_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trunkline {

DisjointSets::DisjointSets(std::size_t count) : above_(count), size_(count, 1) {
  std::iota(above_.begin(), above_.end(), 0U);
}

std::uint32_t DisjointSets::find(std::uint32_t element) {
  while (above_[element] != element) {
    above_[element] = above_[above_[element]];
    element = above_[element];
  }
  return element;
}

bool DisjointSets::join(std::uint32_t a, std::uint32_t b) {
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

void mark_spanning_tree(std::size_t node_count, std::span<Link> links, const std::vector<bool>& last) {
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
