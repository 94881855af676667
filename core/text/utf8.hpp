// SPDX-License-Identifier: Apache-2.0
// Text in UTF-8, and bytes that are none: a name of a file may hold any.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace trunkline {

/// How many bytes a text has a letter in from there on; 0: none.
[[nodiscard]] inline std::size_t letter_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80U) return 1;
  const std::size_t bytes = first < 0xc2U ? 0 : first < 0xe0U ? 2 : first < 0xf0U ? 3 : first < 0xf5U ? 4 : 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte(at + 1);
  const bool is_longer_than_needed = (first == 0xe0U && second < 0xa0U) || (first == 0xf0U && second < 0x90U);
  const bool is_none = (first == 0xedU && second > 0x9fU) || (first == 0xf4U && second > 0x8fU);
  return is_longer_than_needed || is_none ? 0 : bytes;
}

/// A JSON string. Bytes that are no letters are half a pair of UTF-16, as Python has them in names (PEP 383).
[[nodiscard]] inline std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = letter_bytes(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    if (bytes == 0 || first < 0x20U) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", first + (bytes == 0 ? 0xdc00U : 0U));
      out += code.data();
    } else {
      if (first == '"' || first == '\\') out += '\\';
      out += text.substr(at, bytes);
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return out + '"';
}

}  // namespace trunkline
