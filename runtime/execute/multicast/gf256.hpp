// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the field of 256 elements, polynomials over GF(2) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11D): that of
// ISA-L and of most Reed-Solomon codes, so that the tests can compare. docs/dependencies.md says why it is not ISA-L
// itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline::runtime {

using Element = std::uint8_t;

/// The low bits of x^8 in the field.
inline constexpr Element field_polynomial = 0x1D;

/// Addition and subtraction are both exclusive or.
[[nodiscard]] constexpr Element times(Element a, Element b) {
  unsigned product = 0;
  unsigned shifted = a;
  for (unsigned bits = b; bits != 0; bits >>= 1U) {
    if ((bits & 1U) != 0) product ^= shifted;
    shifted <<= 1U;
    if ((shifted & 0x100U) != 0) shifted ^= 0x100U | field_polynomial;
  }
  return static_cast<Element>(product);
}

/// 1 / a = a^254, of an element that is not zero.
[[nodiscard]] constexpr Element inverse(Element a) {
  Element power = 1;
  for (int bit = 7; bit >= 0; --bit) {
    power = times(power, power);
    if (bit != 0) power = times(power, a);  // 254 = 11111110 in binary
  }
  return power;
}

static_assert(times(0x80, 2) == field_polynomial && times(inverse(0x53), 0x53) == 1 && inverse(1) == 1);

/// to += factor * from, element by element; `to` is at least as long as `from`.
void add_product(std::span<std::byte> to, Element factor, std::span<const std::byte> from);

}  // namespace trunkline::runtime
