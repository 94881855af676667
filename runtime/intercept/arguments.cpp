// SPDX-License-Identifier: Apache-2.0
#include "intercept/arguments.hpp"

#include <cstddef>

#include "datatype/operands.hpp"
#include "datatype/predefined.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {

std::optional<std::uint64_t> type_bytes(MPI_Datatype type) {
  if (const auto bytes = predefined_bytes(type)) return bytes;
  const MPI_Comm silent = private_communicator()->communicator();  // whose errors nobody hears of
  constexpr char any_place = 0;                                    // a null buffer would be another error
  if (PMPI_Send(&any_place, 1, type, MPI_PROC_NULL, 0, silent) != MPI_SUCCESS) return {};
  MPI_Count bytes = 0;
  if (PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS || bytes < 0) return {};
  return static_cast<std::uint64_t>(bytes);
}

bool is_null(const void* buffer, MPI_Datatype type) {
  if (buffer != nullptr) return false;
  MPI_Count first = 0;
  MPI_Count extent = 0;
  return PMPI_Type_get_true_extent_x(type, &first, &extent) != MPI_SUCCESS || first == 0;
}

void* element_place(const void* buffer, MPI_Datatype type, MPI_Count element) {
  MPI_Count low = 0;
  MPI_Count extent = 0;
  if (PMPI_Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS) extent = 0;
  return moved(buffer, static_cast<std::ptrdiff_t>(element * extent));
}

void* forbidden_place(const void* buffer, MPI_Datatype type, MPI_Count element) {
#ifdef OPEN_MPI
  return element_place(buffer, type, element);
#else
  const auto bytes = static_cast<std::ptrdiff_t>(type_bytes(type).value_or(0));
  return moved(buffer, static_cast<std::ptrdiff_t>(element) * bytes);
#endif
}

}  // namespace trunkline::runtime
