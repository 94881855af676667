// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/private_communicator.hpp"

#include "transport/watchdog.hpp"

namespace trunkline::runtime {

namespace {

MPI_Comm copy_of(MPI_Comm original) {
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  check(PMPI_Comm_group(original, &all));
  check(PMPI_Comm_create(original, all, &communicator));  // copies no attributes, unlike MPI_Comm_dup
  check(PMPI_Group_free(&all));
  check(PMPI_Comm_set_errhandler(communicator, errors_return()));
  check(PMPI_Comm_set_name(communicator, "trunkline"));
  return communicator;
}

}  // namespace

std::unique_ptr<PrivateCommunicator> PrivateCommunicator::open() {
  const MPI_Comm communicator = copy_of(MPI_COMM_WORLD);
  const MPI_Comm alone = copy_of(MPI_COMM_SELF);
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(communicator, &rank));
  check(PMPI_Comm_size(communicator, &ranks));
  void* value = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &found));
  constexpr int promised = 32767;
  const int tag_ub = found != 0 ? *static_cast<const int*>(value) : promised;
  return std::unique_ptr<PrivateCommunicator>(
      new PrivateCommunicator(communicator, alone, rank, tag_ub, static_cast<std::size_t>(ranks)));
}

PrivateCommunicator::PrivateCommunicator(MPI_Comm communicator, MPI_Comm alone, int rank, int tag_ub, std::size_t ranks)
    : communicator_(communicator), alone_(alone), rank_(rank), tags_(tag_ub), backlog_(ranks), ids_(tags_.ids()) {}

/// A look for a message that never comes, of this rank to itself. One that is there would be all that the library sees
/// to; on a communicator of one rank MPICH looks for nothing else.
void PrivateCommunicator::go_on() const {
  int any = 0;
  check(PMPI_Iprobe(rank_, MPI_ANY_TAG, communicator_, &any, MPI_STATUS_IGNORE));
}

void PrivateCommunicator::serve_the_program() const {
  int any = 0;
  if (!simulated) static_cast<void>(PMPI_Iprobe(rank_, MPI_ANY_TAG, communicator_, &any, MPI_STATUS_IGNORE));
}

}  // namespace trunkline::runtime
