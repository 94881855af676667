// SPDX-License-Identifier: Apache-2.0
// What a program hands to a collective call, and what MPI says of it.
#pragma once

#include <cstdint>
#include <optional>

#include "collective/collective.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// The data of a call, as the program describes it.
struct Arguments {
  Collective collective;
  const void* buffer;  ///< of the data that this rank puts in, or gets
  MPI_Count count;     ///< of all of it; of shares: not asked
  MPI_Datatype type;
  int root;  ///< 0 where the collective has none
  MPI_Comm communicator;
};

/// Bytes of the signature; empty where MPI itself has to report the datatype: it is none, or is not committed.
[[nodiscard]] std::optional<std::uint64_t> type_bytes(MPI_Datatype type);

/// Whether MPI has to report a null buffer. MPI_BOTTOM is one too, whose datatypes hold the addresses.
[[nodiscard]] bool is_null(const void* buffer, MPI_Datatype type);

/// Of an array at `buffer`: where the element of that number lies.
[[nodiscard]] void* element_place(const void* buffer, MPI_Datatype type, MPI_Count element);

/// The place of which MPI asks whether a rank's own share of that array is given there too. MPICH counts by the
/// datatype's size, as if it had no gaps: its own place is welcome where it has some.
[[nodiscard]] void* forbidden_place(const void* buffer, MPI_Datatype type, MPI_Count element);

}  // namespace trunkline::runtime
