// SPDX-License-Identifier: Apache-2.0
// Which reductions may go by our plans: MPI's own operations on the types they are defined for, and those that the
// program has made.
#pragma once

#include <optional>

#include "collective/operand_order.hpp"
#include "datatype/extremes.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Why MPI itself has to reduce elements of that type by that operation; null: it need not.
[[nodiscard]] const char* reason_for_mpi(MPI_Op operation, MPI_Datatype type);

/// What MPI_MAX and MPI_MIN take of floating numbers; none: another operation, or other types.
[[nodiscard]] std::optional<Extreme> extreme_of(MPI_Op operation, MPI_Datatype type);

/// Whether the result is the same to the last bit in whatever order operands are combined: of MPI's own operations, on
/// whole numbers and bits.
[[nodiscard]] bool is_exact(MPI_Op operation, MPI_Datatype type);

/// Of one that may. MPI's own operations commute.
[[nodiscard]] OperandOrder order_of(MPI_Op operation);

/// Until it is let go of as often, the program's MPI_Op_free takes its handle and leaves the operation. MPI's own are
/// not held. Any thread.
void hold_operation(MPI_Op operation);
void let_go_of_operation(MPI_Op operation);

}  // namespace trunkline::runtime
