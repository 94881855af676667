// SPDX-License-Identifier: Apache-2.0
// Sizes that run alike: decided once, as the least of them, so that programs with another size in every call do not
// pay for a decision each time.
#pragma once

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
[[nodiscard]] SizeClass size_class(std::uint64_t message_bytes, std::span<const std::uint64_t> jumps);

}  // namespace trunkline
