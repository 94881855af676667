// SPDX-License-Identifier: Apache-2.0
// Which ranks write: one a host, and one of the hosts that see the same folder.
#pragma once

#include <mpi.h>

#include <string>

#include "folder.hpp"

namespace trunkline::copy {

struct Writers {
  MPI_Comm all = MPI_COMM_NULL;  ///< those that write, and rank 0; null on others
  std::string host;              ///< this rank's
  Folder folder;                 ///< of this host, made where it was not there
  int hosts = 0;                 ///< of the job; on rank 0
  int sharing = 0;               ///< hosts of them that see another one's folder; on rank 0
};

/// Everybody calls it. A rank's host is its TRUNKLINE_HOST, or else the name of its processor.
[[nodiscard]] Writers find_writers(const std::string& folder);

}  // namespace trunkline::copy
