// SPDX-License-Identifier: Apache-2.0
// Which reductions may go by our plans: MPI's own operations on the types they are defined for, and those that the
// program has made.
#pragma once

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Why MPI itself has to reduce elements of that type by that operation; null: it need not.
[[nodiscard]] const char* reason_for_mpi(MPI_Op operation, MPI_Datatype type);

}  // namespace trunkline::runtime
