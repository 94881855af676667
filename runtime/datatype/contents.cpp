// SPDX-License-Identifier: Apache-2.0
#include "datatype/contents.hpp"

#include <utility>

namespace trunkline::runtime {
namespace {

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count types = 0;
  int combiner = 0;
};

// The functions without _c report an error for a datatype that was made with large counts, so MPI 4 needs the others.
Envelope envelope_of(MPI_Datatype type) {
  Envelope envelope;
#if TRUNKLINE_HAS_LARGE_COUNTS
  check(PMPI_Type_get_envelope_c(type, &envelope.integers, &envelope.addresses, &envelope.large_counts, &envelope.types,
                                 &envelope.combiner));
#else
  int integers = 0;
  int addresses = 0;
  int types = 0;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner));
  envelope.integers = integers;
  envelope.addresses = addresses;
  envelope.types = types;
#endif
  return envelope;
}

bool made_by_mpi(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

}  // namespace

bool is_named(MPI_Datatype type) noexcept {
  try {
    return made_by_mpi(envelope_of(type).combiner);
  } catch (const MpiError&) {
    return true;  // a handle that cannot be asked must not be freed either
  }
}

Contents::Contents(MPI_Datatype type) {
  const Envelope envelope = envelope_of(type);
  combiner_ = envelope.combiner;
  if (made_by_mpi(combiner_)) return;
  integers_.resize(static_cast<std::size_t>(envelope.integers));
  addresses_.resize(static_cast<std::size_t>(envelope.addresses));
  large_counts_.resize(static_cast<std::size_t>(envelope.large_counts));
  types_.resize(static_cast<std::size_t>(envelope.types), MPI_DATATYPE_NULL);
#if TRUNKLINE_HAS_LARGE_COUNTS
  check(PMPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.large_counts, envelope.types,
                                 integers_.data(), addresses_.data(), large_counts_.data(), types_.data()));
#else
  check(PMPI_Type_get_contents(type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                               static_cast<int>(envelope.types), integers_.data(), addresses_.data(), types_.data()));
#endif
}

Contents::~Contents() {
  for (MPI_Datatype& type : types_) {
    if (type != MPI_DATATYPE_NULL && !is_named(type)) PMPI_Type_free(&type);
  }
}

std::vector<std::int64_t> Contents::numbers() const {
  std::vector<std::int64_t> all(integers_.begin(), integers_.end());
  all.insert(all.end(), addresses_.begin(), addresses_.end());
  all.insert(all.end(), large_counts_.begin(), large_counts_.end());
  return all;
}

MPI_Datatype Contents::release(std::size_t index) { return std::exchange(types_.at(index), MPI_DATATYPE_NULL); }

}  // namespace trunkline::runtime
