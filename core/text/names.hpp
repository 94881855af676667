// SPDX-License-Identifier: Apache-2.0
// Names of nodes: which are allowed, and their short form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "text/yaml_text.hpp"

namespace trunkline {

inline bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-:/+@").find(c) != std::string_view::npos;
}

inline constexpr std::size_t longest_name = 255;

/// Letters, digits and . _ - : / + @, not empty, at most longest_name characters.
[[nodiscard]] inline bool is_valid_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), is_name_letter);
}

/// Why `name` is not valid, for people.
[[nodiscard]] inline std::string bad_name(std::string_view name) {
  if (name.empty()) {
    return "an empty name; give every node one";
  }
  if (name.size() > longest_name) {
    return "a name of " + std::to_string(name.size()) + " characters; at most " + std::to_string(longest_name) +
           " are allowed";
  }
  return quoted(name) + " is no name; names hold letters, digits and . _ - : / + @ only";
}

/// The name without its domain: "node1" for "node1.lab"; addresses such as 10.0.0.1 have no shorter form.
[[nodiscard]] inline std::string_view short_name(std::string_view name) {
  const bool address = name.find_first_not_of("0123456789.") == std::string_view::npos || name.find(':') != name.npos;
  const std::size_t dot = name.find('.');
  return address || dot == 0 ? name : name.substr(0, dot);
}

/// With small letters alone: names of hosts mean the same in any case (RFC 4343).
[[nodiscard]] inline std::string in_small_letters(std::string_view name) {
  std::string small(name);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small;
}

}  // namespace trunkline
