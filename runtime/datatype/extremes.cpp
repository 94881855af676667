// SPDX-License-Identifier: Apache-2.0
#include "datatype/extremes.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace trunkline::runtime {
namespace {

template <class Number>
Number extreme_of(Extreme extreme, Number one, Number other) {
  if (std::isnan(one) || std::isnan(other)) return std::numeric_limits<Number>::quiet_NaN();
  const bool is_below = one < other || (one == other && std::signbit(one) && !std::signbit(other));
  return is_below == (extreme == Extreme::least) ? one : other;
}

/// Operands may lie anywhere.
template <class Number>
void take_extremes(Extreme extreme, const std::byte* in, std::byte* inout, std::uint64_t numbers) {
  for (std::uint64_t i = 0; i < numbers; ++i, in += sizeof(Number), inout += sizeof(Number)) {
    Number one{};
    Number other{};
    std::memcpy(&one, in, sizeof(Number));
    std::memcpy(&other, inout, sizeof(Number));
    const Number taken = extreme_of(extreme, one, other);
    std::memcpy(inout, &taken, sizeof(Number));
  }
}

}  // namespace

void take_extreme(Extreme extreme, std::uint64_t number_bytes, const std::byte* in, std::byte* inout,
                  std::uint64_t numbers) {
  if (number_bytes == sizeof(float)) return take_extremes<float>(extreme, in, inout, numbers);
  if (number_bytes == sizeof(double)) return take_extremes<double>(extreme, in, inout, numbers);
  take_extremes<long double>(extreme, in, inout, numbers);
}

}  // namespace trunkline::runtime
