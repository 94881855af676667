// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 (Aumasson and Bernstein, 2012): a short keyed digest that takes the key to make.
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
using Key = std::array<std::uint64_t, 2>;

class SipHash {
 public:
  explicit SipHash(const Key& key)
      : v0_(0x736F6D6570736575U ^ key[0]),
        v1_(0x646F72616E646F6DU ^ key[1]),
        v2_(0x6C7967656E657261U ^ key[0]),
        v3_(0x7465646279746573U ^ key[1]) {}

  /// Bytes that are not the last: a multiple of 8 of them.
  void take(std::span<const std::byte> bytes) {
    length_ += bytes.size();
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) take_word(word(bytes));
  }

  /// With the last bytes.
  [[nodiscard]] std::uint64_t end(std::span<const std::byte> bytes) {
    const std::size_t whole = bytes.size() / 8 * 8;
    take(bytes.first(whole));
    const std::span<const std::byte> rest = bytes.subspan(whole);
    length_ += rest.size();
    take_word(word(rest) | length_ << 56U);
    v2_ ^= 0xFFU;
    for (int i = 0; i < 4; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  /// The first 8 bytes, or what there is of them.
  static std::uint64_t word(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
    return value;
  }

  void take_word(std::uint64_t value) {
    v3_ ^= value;
    round();
    round();
    v0_ ^= value;
  }

  void round() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
  std::uint64_t length_ = 0;
};

}  // namespace trunkline::runtime
