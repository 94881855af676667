// SPDX-License-Identifier: Apache-2.0
#include "choose/size_class.hpp"

#include <algorithm>
#include <bit>

namespace trunkline {

SizeClass size_class(std::uint64_t message_bytes, std::span<const std::uint64_t> jumps) {
  constexpr int bits = 3;  // of a size that count, below its first one
  const int shift = std::max(static_cast<int>(std::bit_width(message_bytes)) - 1 - bits, 0);
  const std::uint64_t part = message_bytes >> shift;
  SizeClass found{.index = (static_cast<std::size_t>(shift) << bits) + static_cast<std::size_t>(part),
                  .least_bytes = part << shift,
                  .most_bytes = (part << shift) + ((std::uint64_t{1} << shift) - 1)};
  const auto next = std::ranges::upper_bound(jumps, message_bytes);
  found.index += static_cast<std::size_t>(next - jumps.begin());
  if (next != jumps.begin()) found.least_bytes = std::max(found.least_bytes, *(next - 1));
  if (next != jumps.end()) found.most_bytes = std::min(found.most_bytes, *next - 1);
  return found;
}

}  // namespace trunkline
