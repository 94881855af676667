// SPDX-License-Identifier: Apache-2.0
// A heap of numbered items whose keys may fall while they are in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace trunkline {

/// Four children a node: a step down looks at one cache line, and steps up, of which a search for shortest paths makes
/// most, are half as many as with two. Items are numbered below a bound. Of equal keys the least number leaves first.
class IndexedHeap {
 public:
  using Item = std::uint32_t;

  explicit IndexedHeap(std::size_t bound) : place_(bound, outside) {}

  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  [[nodiscard]] bool holds(Item item) const { return place_[item] != outside; }

  /// Puts an item in, or lets its key fall. A key that would rise is a mistake of the caller.
  void lower(Item item, double key) {
    if (!holds(item)) {
      place_[item] = static_cast<Item>(heap_.size());
      heap_.push_back({key, item});
    }
    std::size_t at = place_[item];
    heap_[at].first = key;
    while (at > 0 && heap_[at] < heap_[(at - 1) / arity]) at = swap(at, (at - 1) / arity);
  }

  /// The item with the least key leaves.
  Item pop() {
    const Item least = heap_.front().second;
    swap(0, heap_.size() - 1);
    heap_.pop_back();
    place_[least] = outside;
    for (std::size_t at = 0;;) {
      const std::size_t first = arity * at + 1;
      if (first >= heap_.size()) return least;
      const auto begin = heap_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = heap_.begin() + static_cast<std::ptrdiff_t>(std::min(first + arity, heap_.size()));
      const auto child = static_cast<std::size_t>(std::min_element(begin, end) - heap_.begin());
      if (!(heap_[child] < heap_[at])) return least;
      at = swap(at, child);
    }
  }

 private:
  static constexpr std::size_t arity = 4;
  static constexpr Item outside = std::numeric_limits<Item>::max();

  std::size_t swap(std::size_t one, std::size_t other) {
    std::swap(heap_[one], heap_[other]);
    place_[heap_[one].second] = static_cast<Item>(one);
    place_[heap_[other].second] = static_cast<Item>(other);
    return other;
  }

  std::vector<std::pair<double, Item>> heap_;
  std::vector<Item> place_;
};

}  // namespace trunkline
