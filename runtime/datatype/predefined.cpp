// SPDX-License-Identifier: Apache-2.0
#include "datatype/predefined.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "reserve.hpp"

namespace trunkline::runtime {
namespace {

struct Known {
  MPI_Datatype type;
  std::uint64_t bytes;
};

/// Those of other languages may be missing in a library: MPI_DATATYPE_NULL then.
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
                                MPI_DOUBLE_COMPLEX,
                                MPI_INTEGER1,
                                MPI_INTEGER2,
                                MPI_INTEGER4,
                                MPI_INTEGER8,
                                MPI_REAL4,
                                MPI_REAL8,
                                MPI_COMPLEX8,
                                MPI_COMPLEX16};
  std::vector<Known> known;
  for (const MPI_Datatype type : types) {
    MPI_Count bytes = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS || bytes < 0) continue;
    known.push_back({type, static_cast<std::uint64_t>(bytes)});
  }
  return known;
}

/// By handle: each call of a program asks. A datatype stands at the place that its handle says, or behind it.
class ByHandle {
 public:
  explicit ByHandle(const std::vector<Known>& all) {
    for (const Known& one : all) places_[place_of(one.type)] = one;
  }

  [[nodiscard]] const Known* find(MPI_Datatype type) const {
    const Known& one = places_[place_of(type)];
    return one.type == type && type != MPI_DATATYPE_NULL ? &one : nullptr;
  }

 private:
  static constexpr unsigned bits = 7;  ///< more than twice as many places as datatypes

  /// Where it is, or would be.
  [[nodiscard]] std::size_t place_of(MPI_Datatype type) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    std::size_t place = (static_cast<std::uint64_t>(std::hash<MPI_Datatype>()(type)) * odd) >> (64U - bits);
    while (places_[place].type != type && places_[place].type != MPI_DATATYPE_NULL) {
      place = (place + 1) % places_.size();
    }
    return place;
  }

  std::array<Known, std::size_t{1} << bits> places_ = [] {
    std::array<Known, std::size_t{1} << bits> none{};
    none.fill({MPI_DATATYPE_NULL, 0});
    return none;
  }();
};

}  // namespace

std::optional<std::uint64_t> predefined_bytes(MPI_Datatype type) {
  static const auto* const known =
      with_reserve([] { return new ByHandle(all_known()); });  // never destroyed: see MPI_Finalize
  const Known* const found = known->find(type);
  return found != nullptr ? std::optional(found->bytes) : std::nullopt;
}

}  // namespace trunkline::runtime
