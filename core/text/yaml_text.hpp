// SPDX-License-Identifier: Apache-2.0
// Writing text so that a YAML reader gets the same text back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline {

/// Between double quotes, with escapes for what cannot be printed; also used to show input in messages.
[[nodiscard]] std::string quoted(std::string_view text);

/// As it is where YAML takes it for a plain scalar, even inside [ ] and { }; else quoted.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

/// 16 hexadecimal digits.
[[nodiscard]] std::string hexadecimal(std::uint64_t value);

}  // namespace trunkline
