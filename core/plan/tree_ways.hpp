// SPDX-License-Identifier: Apache-2.0
// The first segment's ways to the ranks of a tree, hop by hop: what TreeCosts::latest is taken from.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collective/collective.hpp"
#include "model/transfer/path_loads.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// To one rank, as if all sends before took as long as they are on the wire, or as their sender's processor needs.
struct Ways {
  TreeCosts::Way by_wire;
  TreeCosts::Way by_processor;
};

/// Of who has sent that: it is on its way by this path, with all injections of the hop.
[[nodiscard]] Ways arrived(const Ways& sending, const PathCost& path, double injections_s);
[[nodiscard]] TreeCosts::Way arrived(TreeCosts::Way way, const PathCost& path, double injections_s, bool is_local);
/// From another rank of the host.
[[nodiscard]] Ways arrived_within(const Ways& sending, double injections_s);

/// What comes next waits for so many sends that took so long on the wire, or within the host.
void add_sends(Ways& sending, double byte_s, double injections_s, bool is_local, double times = 1.0);
void add_sends_within(Ways& sending, double times, double injections_s);

/// Up the same way: who sends down takes in, and combines what it takes. What goes down stays.
[[nodiscard]] Handlings upwards(Direction direction, Handlings there);
[[nodiscard]] TreeCosts::Way upwards(Direction direction, TreeCosts::Way way);

/// One after the other.
[[nodiscard]] TreeCosts::Way joined(TreeCosts::Way first, const TreeCosts::Way& then);

/// To the last ranks of a tree, or on one side of it where two roots exchange.
struct LastWays {
  std::vector<Ways> ways;

  /// Of the injections of a hop that is gone both ways half belong to each.
  void add(Ways one, double injections) {
    one.by_wire.handlings.injections_s *= injections;
    one.by_processor.handlings.injections_s *= injections;
    ways.push_back(one);
  }

  [[nodiscard]] std::vector<TreeCosts::Way> all() const {
    std::vector<TreeCosts::Way> all;
    for (const Ways& one : ways) all.insert(all.end(), {one.by_wire, one.by_processor});
    return all;
  }
};

/// Those that are the longest for some segment. Below a frame all of a segment is its first frame.
[[nodiscard]] std::vector<TreeCosts::Way> longest(const std::vector<TreeCosts::Way>& ways, const HostCosts& hosts);

/// Those that are the most for some segment.
[[nodiscard]] std::vector<TreeCosts::Work> most(const std::vector<TreeCosts::Work>& works);

/// y = slope * x + height
struct Line {
  double slope;
  double height;
};

/// Places of the lines that are highest somewhere from x = `from` to x = `to`, one of those that coincide; in the order
/// of x. Time O(lines * result).
[[nodiscard]] std::vector<std::size_t> highest_lines(std::span<const Line> lines, double from, double to);

}  // namespace trunkline
