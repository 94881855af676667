// SPDX-License-Identifier: Apache-2.0
#include "text/names.hpp"

#include <algorithm>

#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-:/+@").find(c) != std::string_view::npos;
}

}  // namespace

bool is_valid_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), is_name_letter);
}

std::string bad_name(std::string_view name) {
  if (name.empty()) {
    return "an empty name; give every node one";
  }
  if (name.size() > longest_name) {
    return "a name of " + std::to_string(name.size()) + " characters; at most " + std::to_string(longest_name) +
           " are allowed";
  }
  return quoted(name) + " is no name; names hold letters, digits and . _ - : / + @ only";
}

std::string_view short_name(std::string_view name) {
  const bool address = name.find_first_not_of("0123456789.") == std::string_view::npos || name.find(':') != name.npos;
  const std::size_t dot = name.find('.');
  return address || dot == 0 ? name : name.substr(0, dot);
}

std::string in_small_letters(std::string_view name) {
  std::string small(name);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small;
}

}  // namespace trunkline
