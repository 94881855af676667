// SPDX-License-Identifier: Apache-2.0
// What the command hands over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trunkline::copy {

struct Options {
  std::vector<std::string> files;
  std::string folder;                       ///< "{host}" in it is each host's name
  std::string json;                         ///< empty: none; "-": standard output
  std::uint64_t block_bytes = 4ULL << 20U;  ///< of one broadcast
  std::size_t buffers = 16;                 ///< blocks that wait for the disk, at most
  bool reads_back = false;
  bool shows_progress = false;  ///< in place, as on a terminal
};

/// Throws std::invalid_argument.
[[nodiscard]] Options read_options(int argc, char** argv);

}  // namespace trunkline::copy
