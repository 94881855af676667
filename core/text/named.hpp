// SPDX-License-Identifier: Apache-2.0
// Rows of a table by their names.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text/spelling.hpp"

namespace trunkline {

/// The row of that `name`. Throws std::invalid_argument: `none_is_called`, such as "no tree is called", the name, and
/// those that there are.
template <typename Row>
[[nodiscard]] const Row& named_among(std::span<const Row> rows, std::string_view name,
                                     std::string_view none_is_called) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found != rows.end()) return *found;
  std::vector<std::string_view> names;
  std::string text;
  for (const Row& one : rows) {
    names.push_back(one.name);
    text.append(text.empty() ? "" : ", ").append(one.name);
  }
  throw std::invalid_argument(std::string(none_is_called) + " '" + std::string(name) + "'" + did_you_mean(name, names) +
                              "; there are: " + text);
}

}  // namespace trunkline
