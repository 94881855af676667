// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and follow from what they are asked with (SplitMix64's last step; Steele, Lea and Flood,
// 2014).
#pragma once

#include <cstdint>

namespace trunkline::fabric {

[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

}  // namespace trunkline::fabric
