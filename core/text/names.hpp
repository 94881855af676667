// SPDX-License-Identifier: Apache-2.0
// Names of nodes: which are allowed, and their short form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline {

inline constexpr std::size_t longest_name = 255;

/// Letters, digits and . _ - : / + @, not empty, at most longest_name characters.
[[nodiscard]] bool is_valid_name(std::string_view name);

/// Why `name` is not valid, for people.
[[nodiscard]] std::string bad_name(std::string_view name);

/// The name without its domain: "node1" for "node1.lab"; addresses such as 10.0.0.1 have no shorter form.
[[nodiscard]] std::string_view short_name(std::string_view name);

/// With small letters alone: names of hosts mean the same in any case (RFC 4343).
[[nodiscard]] std::string in_small_letters(std::string_view name);

}  // namespace trunkline
