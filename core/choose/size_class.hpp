// SPDX-License-Identifier: Apache-2.0
// Sizes that run alike: decided once, as the least of them, so that programs with another size in every call do not
// pay for a decision each time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline {

struct SizeClass {
  std::size_t index = 0;          ///< ascending with the sizes
  std::uint64_t least_bytes = 0;  ///< decided for all of them
  std::uint64_t most_bytes = 0;
};

/// Eight classes for each doubling, so that sizes of one differ by an eighth at most; powers of two begin classes, and
/// so do the `jumps`, ascending. About 10 nanoseconds.
[[nodiscard]] inline SizeClass size_class(std::uint64_t message_bytes, std::span<const std::uint64_t> jumps) {
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
