// SPDX-License-Identifier: Apache-2.0
// Orders for exchanges in step: what each round puts on the links is dealt over the rounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "network/placement.hpp"

namespace trunkline {

/// Every so many-th of the ranks, round the end, until all are there. Who sends to the one `d` places behind in that
/// order sends `d` strides further in the one that is given. Where that is depth first over the switches, `s` ranks
/// behind a link and `e` the way in places, min(s, P - s, e, P - e) cross the link. In rows `e` grows from 1 to P - 1,
/// so the middle rounds fill queues; dealt, full rounds and empty ones take turns. The stride is the first without a
/// common divisor with P from P (1 - sqrt(1/2)) on: it keeps `e` from P / 2, where all links are full, in rounds next
/// to each other, also from the end of the exchange to its next slice. Time O(P).
[[nodiscard]] inline std::vector<Rank> dealt(std::span<const Rank> in_rows) {
  const std::size_t ranks = in_rows.size();
  const double least = (1.0 - std::numbers::sqrt2 / 2.0) * static_cast<double>(ranks);
  std::size_t stride = std::max(static_cast<std::size_t>(std::round(least)), std::size_t{1});
  while (std::gcd(stride, ranks) != 1) ++stride;
  std::vector<Rank> order;
  order.reserve(ranks);
  for (std::size_t i = 0; i < ranks; ++i) order.push_back(in_rows[i * stride % ranks]);
  return order;
}

}  // namespace trunkline
