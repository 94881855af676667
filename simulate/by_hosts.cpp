// SPDX-License-Identifier: Apache-2.0
#include "by_hosts.hpp"

#include <string_view>

namespace trunkline::simulate {

ByHosts::ByHosts(int rank, int root) {
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &in_host_);
  int place = 0;
  PMPI_Comm_rank(in_host_, &place);
  PMPI_Comm_split(MPI_COMM_WORLD, place == 0 ? 0 : MPI_UNDEFINED, rank, &among_hosts_);
  int own = 0;
  if (rank == root) PMPI_Comm_rank(among_hosts_, &own);
  PMPI_Allreduce(&own, &root_host_, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

ByHosts::~ByHosts() {
  if (among_hosts_ != MPI_COMM_NULL) PMPI_Comm_free(&among_hosts_);
  PMPI_Comm_free(&in_host_);
}

bool ByHosts::run(const message& one) const {
  const std::string_view name = one.of->name;
  const bool leads = among_hosts_ != MPI_COMM_NULL;
  const auto bytes = static_cast<int>(one.bytes);
  const auto numbers = static_cast<int>(one.bytes / sizeof(long long));
  if (name == "bcast") {
    if (leads) PMPI_Bcast(one.to, bytes, MPI_BYTE, root_host_, among_hosts_);
    PMPI_Bcast(one.to, bytes, MPI_BYTE, 0, in_host_);
    return true;
  }
  if (name != "reduce" && name != "allreduce") return false;
  PMPI_Reduce(one.from, one.to, numbers, MPI_LONG_LONG_INT, MPI_SUM, 0, in_host_);
  if (name == "allreduce") {
    if (leads) PMPI_Allreduce(MPI_IN_PLACE, one.to, numbers, MPI_LONG_LONG_INT, MPI_SUM, among_hosts_);
    PMPI_Bcast(one.to, bytes, MPI_BYTE, 0, in_host_);
    return true;
  }
  if (leads) {
    const void* const from = one.rank == one.root ? MPI_IN_PLACE : one.to;
    PMPI_Reduce(from, one.to, numbers, MPI_LONG_LONG_INT, MPI_SUM, root_host_, among_hosts_);
  }
  return true;
}

}  // namespace trunkline::simulate
