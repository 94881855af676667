// SPDX-License-Identifier: Apache-2.0
#include "startup/records.hpp"

#include "mpi_api.hpp"

namespace trunkline::runtime {

std::shared_ptr<const std::vector<std::byte>> records_of_all(const void* mine, std::size_t bytes, int, int ranks) {
  auto all = std::make_shared<std::vector<std::byte>>(bytes * static_cast<std::size_t>(ranks));
  const int count = static_cast<int>(bytes);
  check(PMPI_Allgather(mine, count, MPI_BYTE, all->data(), count, MPI_BYTE, MPI_COMM_WORLD));
  return all;
}

}  // namespace trunkline::runtime
