// SPDX-License-Identifier: Apache-2.0
// One file from rank 0 to all hosts: reading, sending and writing go on at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hosts.hpp"
#include "options.hpp"

namespace trunkline::copy {

struct HostFailure {
  std::string host;
  std::string reason;
};

/// What became of a file; whole on rank 0.
struct Result {
  std::string file;
  std::string failure;  ///< of the source: nobody has it
  std::uint64_t bytes = 0;
  std::uint64_t sent_bytes = 0;
  double seconds = 0.0;               ///< from the first word to the last host's last byte
  std::vector<HostFailure> failures;  ///< hosts without it
};

/// All writers call it.
[[nodiscard]] Result transfer(const std::string& file, const Writers& writers, const Options& options);

}  // namespace trunkline::copy
