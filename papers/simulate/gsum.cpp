// SPDX-License-Identifier: Apache-2.0
#include "gsum.hpp"

#include <mpi.h>

#include <optional>

#include "by_hosts.hpp"

/// `main` of gsum.c.
extern "C" int simulated_gsum(int argc, char** argv);

namespace trunkline::simulate {
namespace {

bool goes_by_hosts = false;
std::optional<ByHosts> ways;

}  // namespace

int run_gsum(int argc, char** argv, bool by_hosts) {
  goes_by_hosts = by_hosts;
  return simulated_gsum(argc, argv);
}

}  // namespace trunkline::simulate

/// What gsum.c calls for MPI_Allreduce.
extern "C" int simulated_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                   MPI_Comm comm) {
  using namespace trunkline::simulate;
  if (!goes_by_hosts || comm == MPI_COMM_WORLD) return MPI_Allreduce(send, receive, count, type, operation, comm);
  if (!ways) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ways.emplace(rank, 0);
  }
  ways->allreduce(send, receive, count, type, operation);
  return MPI_SUCCESS;
}
