// SPDX-License-Identifier: Apache-2.0
// The datatypes that MPI itself defines, known without asking the library: its functions report a handle that is none
// to the error handler of MPI_COMM_WORLD, where MPI_Bcast reports it to that of the communicator.
#pragma once

#include <cstdint>
#include <optional>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Bytes of the signature; empty for derived datatypes and for no datatype at all. MPI must be initialised.
[[nodiscard]] std::optional<std::uint64_t> predefined_bytes(MPI_Datatype type);

}  // namespace trunkline::runtime
