// SPDX-License-Identifier: Apache-2.0
#include "impair/damage.hpp"

#include <cstring>

#include "frame.hpp"
#include "impair/checksum.hpp"
#include "impair/dice.hpp"

namespace trunkline::fabric {

namespace {

constexpr Damage there = 1;  ///< in every damage
constexpr Damage garbles = 2;

constexpr std::size_t checksum_start_at = 6;
constexpr std::size_t checksum_offset_at = 8;
constexpr std::uint8_t needs_checksum = 1;

/// Does what the sender's network card would have done: the field holds the sum of the pseudo-header.
void finish_checksum(std::span<std::uint8_t> bytes) {
  if ((bytes[0] & needs_checksum) == 0) return;
  std::uint16_t start = 0;
  std::uint16_t offset = 0;
  std::memcpy(&start, &bytes[checksum_start_at], sizeof start);
  std::memcpy(&offset, &bytes[checksum_offset_at], sizeof offset);
  std::memset(bytes.data(), 0, offload_header_bytes);
  const std::span<std::uint8_t> frame = bytes.subspan(offload_header_bytes);
  if (std::size_t{start} + offset + 2 > frame.size()) return;
  const auto checksum = static_cast<std::uint16_t>(~ones_sum(frame.subspan(start)));
  put_word(frame, std::size_t{start} + offset, checksum == 0 ? 0xFFFFU : checksum);
}

void add_to_word(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t value) {
  const std::uint32_t sum = word_at(bytes, at) + value;
  put_word(bytes, at, (sum & 0xFFFFU) + (sum >> 16U));
}

void flip_a_bit(std::span<std::uint8_t> behind, std::uint64_t dice) {
  behind[(dice >> 3U) % behind.size()] ^= static_cast<std::uint8_t>(1U << (dice & 7U));
}

void change_two_words(std::span<std::uint8_t> payload, std::uint64_t dice) {
  const std::size_t words = payload.size() / 2;
  if (words < 2) return;
  const std::size_t one = dice % words;
  const std::size_t other = (one + 1 + (dice >> 16U) % (words - 1)) % words;
  const auto value = static_cast<std::uint32_t>(1 + (dice >> 40U) % 0xFFFEU);
  add_to_word(payload, 2 * one, value);
  add_to_word(payload, 2 * other, 0xFFFFU - value);
}

}  // namespace

Damage corrupting(std::uint64_t dice) { return static_cast<Damage>(dice << 2U) | there; }

Damage garbling(std::uint64_t dice) { return static_cast<Damage>(dice << 2U) | garbles | there; }

void inflict(Damage damage, std::span<std::uint8_t> bytes) {
  const std::uint64_t dice = mixed(damage);
  if ((damage & garbles) != 0) {
    change_two_words(bytes.subspan(payload_at(bytes)), dice);
    return;
  }
  finish_checksum(bytes);
  if (bytes.size() > least_bytes) flip_a_bit(bytes.subspan(least_bytes), dice);
}

}  // namespace trunkline::fabric
