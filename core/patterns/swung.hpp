// SPDX-License-Identifier: Apache-2.0
// Partners of Swing and of Bine trees: numbers in the base -2.
#pragma once

#include <cstdint>

#include "network/placement.hpp"

namespace trunkline {

/// 1 - 2 + 4 - 8 ... (`along` + 1 terms) from `number`: even numbers go one way, odd ones the other, round the end of
/// `active`, which is a power of two.
[[nodiscard]] constexpr Rank swung(Rank number, unsigned along, Rank active) {
  std::int64_t distance = 0;
  for (unsigned i = 0; i <= along; ++i) distance += (i % 2 == 0 ? 1 : -1) * (std::int64_t{1} << i);
  const std::int64_t by = number % 2 == 0 ? distance : -distance;
  return static_cast<Rank>((std::int64_t{number} + by) & (std::int64_t{active} - 1));
}

}  // namespace trunkline
