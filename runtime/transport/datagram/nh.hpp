// SPDX-License-Identifier: Apache-2.0
// NH with words of 64 bits (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC: fast and secure message
// authentication", 1999): of two different blocks of one length, 128 bits come out alike for at most one of 2^64 keys.
// It hides neither block nor key: what comes out goes into a keyed digest.
//
// Cost: one multiplication for each 16 bytes, none of which waits for another one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace trunkline::runtime {

static_assert(std::endian::native == std::endian::little, "words are read from memory as they lie there");

/// 128 bits.
struct WideWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const WideWord&, const WideWord&) = default;
};

/// Of any two words, by halves of them: where the compiler has no integers of 128 bits.
[[nodiscard]] constexpr WideWord product_by_halves(std::uint64_t one, std::uint64_t other) {
  constexpr std::uint64_t half = 0xFFFFFFFF;
  const std::uint64_t low = (one & half) * (other & half);
  const std::uint64_t across = (one >> 32U) * (other & half) + (low >> 32U);
  const std::uint64_t back = (one & half) * (other >> 32U) + (across & half);
  return {.low = (back << 32U) | (low & half), .high = (one >> 32U) * (other >> 32U) + (across >> 32U) + (back >> 32U)};
}

[[nodiscard]] constexpr WideWord product(std::uint64_t one, std::uint64_t other) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide both = static_cast<Wide>(one) * other;
  return {.low = static_cast<std::uint64_t>(both), .high = static_cast<std::uint64_t>(both >> 64U)};
#else
  return product_by_halves(one, other);
#endif
}

/// Of a block at most.
inline constexpr std::size_t nh_block_bytes = 1536;
using NhKey = std::array<std::uint64_t, nh_block_bytes / sizeof(std::uint64_t)>;

/// Of at most nh_block_bytes; a block is lengthened by zeros to whole pairs of words.
[[nodiscard]] inline WideWord nh(const NhKey& key, std::span<const std::byte> block) {
  constexpr std::size_t pair_bytes = 2 * sizeof(std::uint64_t);
  WideWord sum;
  const auto add = [&](const std::byte* from, std::size_t at) {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), from, sizeof words);
    const std::uint64_t* const keys = key.data() + at / sizeof(std::uint64_t);
    const WideWord one = product(words[0] + keys[0], words[1] + keys[1]);
    sum.low += one.low;
    sum.high += one.high + (sum.low < one.low ? 1U : 0U);
  };
  const std::size_t whole = block.size() / pair_bytes * pair_bytes;
  for (std::size_t at = 0; at < whole; at += pair_bytes) add(block.data() + at, at);
  if (whole < block.size()) {
    std::array<std::byte, pair_bytes> rest{};
    std::memcpy(rest.data(), block.data() + whole, block.size() - whole);
    add(rest.data(), whole);
  }
  return sum;
}

}  // namespace trunkline::runtime
