// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/highest_lines.hpp"

#include <tuple>

namespace trunkline {

std::vector<std::size_t> highest_lines(std::span<const Line> lines, double from, double to) {
  std::vector<std::size_t> found;
  if (lines.empty()) return found;
  const auto at_start = [&](const Line& line) { return std::tuple(line.slope * from + line.height, line.slope); };
  std::size_t highest = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (at_start(lines[i]) > at_start(lines[highest])) highest = i;
  }
  while (true) {
    found.push_back(highest);
    const Line& now = lines[highest];
    bool crossed = false;
    double nearest = to;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].slope <= now.slope) continue;
      const double x = (now.height - lines[i].height) / (lines[i].slope - now.slope);
      if (x > nearest || (x == nearest && crossed && lines[i].slope <= lines[highest].slope)) continue;
      nearest = x;
      highest = i;
      crossed = true;
    }
    if (!crossed) return found;
  }
}

}  // namespace trunkline
