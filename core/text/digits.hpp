// SPDX-License-Identifier: Apache-2.0
// Numbers inside names.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline {

inline constexpr std::size_t most_digits = 9;  ///< of a number in a host list

[[nodiscard]] inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// At most `most_digits` digits.
[[nodiscard]] inline std::uint64_t number(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

[[nodiscard]] inline std::string padded(std::uint64_t value, std::size_t width) {
  std::string digits = std::to_string(value);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

}  // namespace trunkline
