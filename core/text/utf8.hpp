// SPDX-License-Identifier: Apache-2.0
// Text in UTF-8, and bytes that are none: a name of a file may hold any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline {

/// How many bytes a text has a letter in from there on; 0: none.
[[nodiscard]] std::size_t letter_bytes(std::string_view text, std::size_t at);

/// A JSON string. Bytes that are no letters are half a pair of UTF-16, as Python has them in names (PEP 383).
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace trunkline
