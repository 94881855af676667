// SPDX-License-Identifier: Apache-2.0
// Host lists with brackets, as Slurm writes them: node[01-16,20], rack[1-2]n[01-32],login.
#pragma once

#include <charconv>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// A host list that cannot be read; `offset` is where in its text.
class BadHostlist : public std::runtime_error {
 public:
  BadHostlist(std::size_t offset, const std::string& message) : std::runtime_error(message), offset_(offset) {}
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

 private:
  std::size_t offset_;
};

/// All names in order; of several brackets the last one turns fastest. Zero padding is kept. Throws BadHostlist, also
/// where there would be more than `limit` names.
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view text, std::size_t limit);

/// A short host list that expands to exactly these names in this order.
[[nodiscard]] std::string compress_hostlist(std::span<const std::string> names);

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
