// SPDX-License-Identifier: Apache-2.0
// Elements of a chunk in a row, and back, wherever they lie.
#pragma once

#include "mpi_api.hpp"

#include "transport/transport.hpp"

namespace trunkline::runtime {

/// What PMPI_Pack does with a chunk, into `most` bytes at `out`. Returns MPI's code, and sets the bytes of the row.
int pack_chunk(const Chunk& chunk, std::byte* out, int most, int& bytes, MPI_Comm alone);

/// What PMPI_Unpack does with such a row. Returns MPI's code.
int unpack_chunk(const std::byte* in, int bytes, const Chunk& chunk, MPI_Comm alone);

}  // namespace trunkline::runtime
