// SPDX-License-Identifier: Apache-2.0
// The upper envelope of straight lines: of many times that grow with a segment, those that may be the longest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline {

/// y = slope * x + height
struct Line {
  double slope;
  double height;
};

/// Places of the lines that are highest somewhere from x = `from` to x = `to`, one of those that coincide; in the order
/// of x. Time O(lines * result).
[[nodiscard]] std::vector<std::size_t> highest_lines(std::span<const Line> lines, double from, double to);

}  // namespace trunkline
