// SPDX-License-Identifier: Apache-2.0
// The greatest and the least of floating numbers, with the same bits in whatever order and at whatever places: MPI
// libraries take either of 0 and -0, the one in the middle of a vector and the other at its end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::runtime {

enum class Extreme : std::uint8_t { greatest, least };

/// Of each two numbers of a float, a double or a long double's length, into the second. -0 is below 0; where one is
/// none (NaN), the result is always the same one.
void take_extreme(Extreme extreme, std::uint64_t number_bytes, const std::byte* in, std::byte* inout,
                  std::uint64_t numbers);

}  // namespace trunkline::runtime
