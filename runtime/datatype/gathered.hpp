// SPDX-License-Identifier: Apache-2.0
// Where the shares of an allgather go on one rank, as the program gave it.
#pragma once

#include <vector>

#include "mpi_api.hpp"

namespace trunkline::runtime {

struct Gathered {
  void* buffer;  ///< may be MPI_BOTTOM
  MPI_Datatype type;
  MPI_Comm communicator;  ///< serves MPI_Pack alone
  /// Of a rank of the communicator, in elements.
  struct Share {
    MPI_Count count;
    MPI_Count start;
  };
  std::vector<Share> shares;
};

}  // namespace trunkline::runtime
