// SPDX-License-Identifier: Apache-2.0
#include "by_hosts.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace trunkline::simulate {
namespace {

using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;

/// In the platform each rank has a host of its own, whose name goes on behind that of the host.
std::string_view host_of(const Name& name) {
  const std::string_view all(name.data());
  return all.substr(0, all.find('#'));
}

/// The first rank of this rank's host.
int first_of_host() {
  Name own{};
  int length = 0;
  int ranks = 0;
  PMPI_Get_processor_name(own.data(), &length);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<Name> names(static_cast<std::size_t>(ranks));
  PMPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, names.data(), static_cast<int>(own.size()),
                 MPI_CHAR, MPI_COMM_WORLD);
  int first = 0;
  while (host_of(names[static_cast<std::size_t>(first)]) != host_of(own)) ++first;
  return first;
}

}  // namespace

ByHosts::ByHosts(int rank, int root) {
  PMPI_Comm_split(MPI_COMM_WORLD, first_of_host(), rank, &in_host_);
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

void ByHosts::allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation) const {
  PMPI_Reduce(from, to, count, type, operation, 0, in_host_);
  if (among_hosts_ != MPI_COMM_NULL) PMPI_Allreduce(MPI_IN_PLACE, to, count, type, operation, among_hosts_);
  PMPI_Bcast(to, count, type, 0, in_host_);
}

bool ByHosts::run(const message& one, MPI_Op sum) const {
  const std::string_view name = one.of->name;
  const bool leads = among_hosts_ != MPI_COMM_NULL;
  const auto bytes = static_cast<int>(one.bytes);
  const auto numbers = static_cast<int>(one.bytes / sizeof(long long));
  if (name == "bcast") {
    if (leads) PMPI_Bcast(one.to, bytes, MPI_BYTE, root_host_, among_hosts_);
    PMPI_Bcast(one.to, bytes, MPI_BYTE, 0, in_host_);
    return true;
  }
  if (name == "allreduce") {
    allreduce(one.from, one.to, numbers, MPI_LONG_LONG_INT, sum);
    return true;
  }
  if (name != "reduce") return false;
  PMPI_Reduce(one.from, one.to, numbers, MPI_LONG_LONG_INT, sum, 0, in_host_);
  if (leads) {
    const void* const from = one.rank == one.root ? MPI_IN_PLACE : one.to;
    PMPI_Reduce(from, one.to, numbers, MPI_LONG_LONG_INT, sum, root_host_, among_hosts_);
  }
  return true;
}

}  // namespace trunkline::simulate
