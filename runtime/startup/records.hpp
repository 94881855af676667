// SPDX-License-Identifier: Apache-2.0
// What each rank says of itself in MPI_Init.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace trunkline::runtime {

/// The bytes of all ranks of MPI_COMM_WORLD, one after another, of which each says `bytes`. Every rank calls it.
[[nodiscard]] std::shared_ptr<const std::vector<std::byte>> records_of_all(const void* mine, std::size_t bytes,
                                                                           int rank, int ranks);

}  // namespace trunkline::runtime
