// SPDX-License-Identifier: Apache-2.0
// Sums of many alike numbers, the same to the last bit however they are taken together.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace trunkline {

/// The place of the lowest bit of a number that is not 0.
[[nodiscard]] constexpr int lowest_bit(double number) {
  constexpr unsigned mantissa_bits = 52;
  constexpr unsigned exponent_mask = 0x7ff;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits & exponent_mask);
  return exponent + (mantissa == 0 ? static_cast<int>(mantissa_bits) : std::countr_zero(mantissa));
}

/// Adds `amount` so often, as if one by one: at once where no sum on the way is rounded.
inline void add_times(double& sum, double amount, std::uint32_t times) {
  constexpr std::uint32_t few = 4;
  if (times > few) {
    const double last = sum + amount * times;
    // All sums on the way are multiples of the lowest bit, and below the largest one: exact if that many bits fit.
    const double largest = std::max({sum, -sum, last, -last, amount, -amount});
    int lowest = amount == 0.0 ? lowest_bit(1.0) : lowest_bit(amount);
    if (sum != 0.0) lowest = std::min(lowest, lowest_bit(sum));
    constexpr unsigned mantissa_bits = 52;
    const int highest = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> mantissa_bits);
    if (highest <= lowest) {
      sum = last;
      return;
    }
  }
  double all = sum;
  for (; times > 0; --times) all += amount;
  sum = all;
}

}  // namespace trunkline
