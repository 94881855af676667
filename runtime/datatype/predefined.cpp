// SPDX-License-Identifier: Apache-2.0
#include "datatype/predefined.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "reserve.hpp"

namespace trunkline::runtime {
namespace {

struct Known {
  MPI_Datatype type;
  std::uint64_t bytes;
};

/// By handle. Those of other languages may be missing in a library: MPI_DATATYPE_NULL then.
std::vector<Known> all_known() {
  const MPI_Datatype types[] = {MPI_CHAR,
                                MPI_SIGNED_CHAR,
                                MPI_UNSIGNED_CHAR,
                                MPI_BYTE,
                                MPI_PACKED,
                                MPI_SHORT,
                                MPI_UNSIGNED_SHORT,
                                MPI_INT,
                                MPI_UNSIGNED,
                                MPI_LONG,
                                MPI_UNSIGNED_LONG,
                                MPI_LONG_LONG,
                                MPI_UNSIGNED_LONG_LONG,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_LONG_DOUBLE,
                                MPI_WCHAR,
                                MPI_C_BOOL,
                                MPI_INT8_T,
                                MPI_INT16_T,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_UINT8_T,
                                MPI_UINT16_T,
                                MPI_UINT32_T,
                                MPI_UINT64_T,
                                MPI_AINT,
                                MPI_OFFSET,
                                MPI_COUNT,
                                MPI_C_FLOAT_COMPLEX,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_C_LONG_DOUBLE_COMPLEX,
                                MPI_FLOAT_INT,
                                MPI_DOUBLE_INT,
                                MPI_LONG_INT,
                                MPI_SHORT_INT,
                                MPI_LONG_DOUBLE_INT,
                                MPI_2INT,
                                MPI_CHARACTER,
                                MPI_LOGICAL,
                                MPI_INTEGER,
                                MPI_REAL,
                                MPI_DOUBLE_PRECISION,
                                MPI_COMPLEX,
                                MPI_DOUBLE_COMPLEX};
  std::vector<Known> known;
  for (const MPI_Datatype type : types) {
    MPI_Count bytes = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS || bytes < 0) continue;
    known.push_back({type, static_cast<std::uint64_t>(bytes)});
  }
  std::ranges::sort(known, std::less{}, &Known::type);
  return known;
}

}  // namespace

std::optional<std::uint64_t> predefined_bytes(MPI_Datatype type) {
  static const auto* const known =
      with_reserve([] { return new std::vector<Known>(all_known()); });  // never destroyed: see MPI_Finalize
  const auto found = std::ranges::lower_bound(*known, type, std::less{}, &Known::type);
  if (found == known->end() || found->type != type) return {};
  return found->bytes;
}

}  // namespace trunkline::runtime
