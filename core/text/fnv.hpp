// SPDX-License-Identifier: Apache-2.0
// Digests that are compared instead of whole texts: 64-bit FNV-1a.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline {

class Fnv1a {
 public:
  constexpr void byte(unsigned char value) { hash_ = (hash_ ^ value) * 0x100000001B3U; }
  [[nodiscard]] constexpr std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

[[nodiscard]] constexpr std::uint64_t hash(std::string_view text) {
  Fnv1a digest;
  for (const char letter : text) digest.byte(static_cast<unsigned char>(letter));
  return digest.value();
}

}  // namespace trunkline
