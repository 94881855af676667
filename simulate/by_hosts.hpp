// SPDX-License-Identifier: Apache-2.0
// A collective as MPICH composes it where hosts have several ranks: in each host to or from its first rank, and among
// those by the algorithm that SMPI was told to run.
#pragma once

#include <mpi.h>

#include "bench/message.h"

namespace trunkline::simulate {

class ByHosts {
 public:
  /// All ranks together. `root` must be the first rank of its host.
  ByHosts(int rank, int root);
  ~ByHosts();
  ByHosts(const ByHosts&) = delete;
  ByHosts& operator=(const ByHosts&) = delete;

  /// A broadcast, a reduce or an allreduce; false: it is none of them.
  [[nodiscard]] bool run(const message& one, MPI_Op sum) const;

  /// As MPI's.
  void allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation) const;

 private:
  MPI_Comm in_host_ = MPI_COMM_NULL;
  MPI_Comm among_hosts_ = MPI_COMM_NULL;  ///< null on ranks that are not the first of their host
  int root_host_ = 0;                     ///< the root's rank there
};

}  // namespace trunkline::simulate
