// SPDX-License-Identifier: Apache-2.0
// What ranks compare instead of whole texts.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::runtime {

/// 64-bit FNV-1a.
[[nodiscard]] constexpr std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char letter : text) value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return value;
}

}  // namespace trunkline::runtime
