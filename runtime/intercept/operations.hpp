// SPDX-License-Identifier: Apache-2.0
// Which reductions may go by our plans: MPI's own operations on the types they are defined for, and those that the
// program has made.
#pragma once

#include "mpi_api.hpp"
#include "plan/operand_order.hpp"

namespace trunkline::runtime {

/// Why MPI itself has to reduce elements of that type by that operation; null: it need not.
[[nodiscard]] const char* reason_for_mpi(MPI_Op operation, MPI_Datatype type);

/// Of one that may. MPI's own operations commute.
[[nodiscard]] OperandOrder order_of(MPI_Op operation);

}  // namespace trunkline::runtime
