// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/memory_tree_costs.hpp"

#include <algorithm>
#include <tuple>

#include "model/transfer/memory_costs.hpp"

namespace trunkline {

MemorySteps& MemorySteps::operator+=(const MemorySteps& other) {
  hands += other.hands;
  further += other.further;
  combines += other.combines;
  return *this;
}

namespace {

MemorySteps sum(MemorySteps one, const MemorySteps& other) { return one += other; }

MemorySteps times(const MemorySteps& one, double factor) {
  return {.hands = factor * one.hands, .further = factor * one.further, .combines = factor * one.combines};
}

/// Those that no other is at least as much as in everything: any of them may be the longest.
std::vector<MemorySteps> longest(std::vector<MemorySteps> all) {
  const auto key = [](const MemorySteps& one) { return std::tuple(one.hands, one.combines, one.further); };
  std::ranges::sort(all, std::greater<>(), key);
  std::vector<MemorySteps> kept;
  for (const MemorySteps& one : all) {
    const bool is_less = std::ranges::any_of(kept, [&](const MemorySteps& other) {
      return one.hands <= other.hands && one.further <= other.further && one.combines <= other.combines;
    });
    if (!is_less) kept.push_back(one);
  }
  return kept;
}

/// Of a rank with so many children, down: in, then out to all of them at once.
MemorySteps down_work(double children, bool is_root) {
  return {.hands = (is_root ? 0.0 : 1.0) + (children > 0.0 ? 1.0 : 0.0), .further = std::max(children - 1.0, 0.0)};
}

/// Up: it takes its children's one after the other, and combines each.
MemorySteps up_work(double children, bool is_root) {
  return {.hands = children + (is_root ? 0.0 : 1.0), .combines = children};
}

double seconds_of(const MemorySteps& steps, const MemoryCosts& costs, std::uint64_t bytes) {
  return steps.hands * costs.hand_s(bytes) + steps.further * costs.further_s() +
         steps.combines * costs.combine_s(bytes);
}

double most(const std::vector<MemorySteps>& all, const MemoryCosts& costs, std::uint64_t bytes) {
  double seconds = 0.0;
  for (const MemorySteps& one : all) seconds = std::max(seconds, seconds_of(one, costs, bytes));
  return seconds;
}

/// From the root to each rank, or from each back to it.
std::vector<MemorySteps> ways_of(const Tree& tree, Direction direction) {
  std::vector<MemorySteps> way(tree.size());
  for (const Rank rank : parents_first(tree)) {
    const std::vector<Rank>& children = tree.children[rank];
    for (std::size_t i = 0; i < children.size(); ++i) {
      MemorySteps& to = way[children[i]];
      to = way[rank];
      if (direction != Direction::up) to += {.hands = 2.0, .further = static_cast<double>(i)};
      // The last of the siblings is taken after all others.
      const auto siblings = static_cast<double>(children.size());
      if (direction != Direction::down) to += {.hands = 1.0 + siblings, .combines = siblings};
    }
  }
  return way;
}

}  // namespace

MemoryTreeCosts memory_tree_costs(std::span<const Tree> trees, Direction direction, const HostCosts& hosts) {
  MemoryTreeCosts costs;
  costs.combine_byte_s = hosts.combine_byte_s;
  costs.speeds = hosts.memory;
  costs.start_s = (direction == Direction::up_and_down ? 2.0 : 1.0) * hosts.memory->tree_s;
  std::vector<MemorySteps> work(trees.front().size());
  const double part = 1.0 / static_cast<double>(trees.size());
  for (const Tree& tree : trees) {
    const std::vector<MemorySteps> ways = ways_of(tree, direction);
    costs.ways.insert(costs.ways.end(), ways.begin(), ways.end());
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      const auto children = static_cast<double>(tree.children[rank].size());
      const bool is_root = rank == tree.root;
      MemorySteps one;
      if (direction != Direction::up) one += down_work(children, is_root);
      if (direction != Direction::down) one += up_work(children, is_root);
      work[rank] = sum(work[rank], times(one, part));
    }
  }
  costs.ways = longest(std::move(costs.ways));
  costs.work = longest(std::move(work));
  return costs;
}

double MemoryTreeCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const MemoryCosts costs(message_bytes, *speeds, combine_byte_s);
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const double further = static_cast<double>(message_bytes) / static_cast<double>(segment) - 1.0;
  return start_s + most(ways, costs, segment) + further * most(work, costs, segment);
}

/// Of those that are hardly slower than the fastest the longest: where processors are further apart than they were
/// measured, each message costs more.
std::uint64_t MemoryTreeCosts::best_segment(std::uint64_t message_bytes) const {
  constexpr double hardly = 1.02;
  const std::span<const std::uint64_t> all = segment_sizes();
  auto end = std::ranges::upper_bound(all, MemoryCosts::longest_segment);
  const auto whole = std::ranges::lower_bound(all, message_bytes);
  if (whole < end) end = whole + 1;
  const auto in_segments = [&](std::uint64_t segment) { return seconds(message_bytes, segment); };
  const double least_s = in_segments(*std::ranges::min_element(all.begin(), end, {}, in_segments));
  while (in_segments(*(end - 1)) > hardly * least_s) --end;
  return *(end - 1);
}

}  // namespace trunkline
