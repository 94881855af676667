// SPDX-License-Identifier: Apache-2.0
// One file from rank 0 to all hosts: reading, sending and writing go on at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hosts.hpp"
#include "options.hpp"
#include "source.hpp"

namespace trunkline::copy {

class Progress;

struct HostFailure {
  std::string host;
  std::string reason;
};

/// What became of a file, or of a folder; whole on rank 0.
struct Result {
  std::string file;
  std::string failure;  ///< of the source: no host has it
  bool is_folder = false;
  std::uint64_t files = 1;
  std::vector<std::string> left_out;  ///< of a folder: what cannot be copied, and why
  std::uint64_t bytes = 0;
  std::uint64_t sent_bytes = 0;
  double seconds = 0.0;               ///< from the first word to the last host's last byte
  std::vector<HostFailure> failures;  ///< hosts without it
};

/// Into a folder of this host, with what was sent added to the progress. All writers call it; `listed`: as Source takes
/// it, on rank 0.
[[nodiscard]] Result transfer(const std::string& file, const Folder& to, const Identity* listed, const Writers& writers,
                              const Options& options, Progress& progress);

/// What each rank says, on rank 0; nothing on others.
[[nodiscard]] std::vector<std::string> gathered(const std::string& mine, MPI_Comm among);

}  // namespace trunkline::copy
