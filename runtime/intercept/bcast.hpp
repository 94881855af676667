// SPDX-License-Identifier: Apache-2.0
// One broadcast, through whichever entry point it came.
#pragma once

#include <cstdint>

#include "mpi_api.hpp"

namespace trunkline::runtime {

struct BcastCall {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int root;
  MPI_Comm communicator;
};

/// The MPI library's own broadcast, with the caller's arguments as they are.
using NativeBcast = int(const BcastCall& call);

/// What MPI_Bcast returns.
int broadcast(const BcastCall& call, NativeBcast* native);

/// What the last broadcast of this thread ran.
struct LastBcast {
  const char* algorithm = "native";
  std::uint64_t segment_bytes = 0;
};
[[nodiscard]] const LastBcast& last_bcast();

}  // namespace trunkline::runtime
