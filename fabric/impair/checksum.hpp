// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline::fabric {

/// Sum of 16-bit words with the carry added at the other end (RFC 1071); an odd byte counts as the high one. Checksums
/// of the Internet's protocols are its complement.
[[nodiscard]] inline std::uint16_t ones_sum(std::span<const std::uint8_t> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += static_cast<std::uint64_t>(bytes[i]) << (i % 2 == 0 ? 8U : 0U);
  while (sum > 0xFFFFU) sum = (sum & 0xFFFFU) + (sum >> 16U);
  return static_cast<std::uint16_t>(sum);
}

inline void put_word(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t word) {
  bytes[at] = static_cast<std::uint8_t>((word >> 8U) & 0xFFU);
  bytes[at + 1] = static_cast<std::uint8_t>(word & 0xFFU);
}

[[nodiscard]] inline std::uint16_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8U | bytes[at + 1]);
}

}  // namespace trunkline::fabric
