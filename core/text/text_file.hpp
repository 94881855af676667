// SPDX-License-Identifier: Apache-2.0
// Reading a file that somebody named.
#pragma once

#include <cstdint>
#include <string>

#include "text/fault.hpp"

namespace trunkline {

/// Bytes; a plan of a million ranks needs less.
inline constexpr std::uint64_t largest_text_file = std::uint64_t{64} << 20U;

/// The whole file. Throws FaultyFile where it cannot be read, is larger than largest_text_file, or is no regular file:
/// a pipe could keep all ranks of a program waiting, and a device need not end.
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace trunkline
