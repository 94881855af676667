// SPDX-License-Identifier: Apache-2.0
// How a datatype was made: the arguments of its constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// The constructor's arguments, as MPI_Type_get_contents gives them; frees the datatypes among them.
class Contents {
 public:
  /// Throws MpiError. `type` must not be MPI_DATATYPE_NULL.
  explicit Contents(MPI_Datatype type);
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  [[nodiscard]] int combiner() const noexcept { return combiner_; }

  /// Integers, then addresses, then large counts. For every constructor but two this is the order of its arguments,
  /// whichever of its forms was called (int, MPI_Aint, MPI_Count). `index` must be below their number.
  [[nodiscard]] std::int64_t number(std::size_t index) const noexcept {
    if (index < integers_.size()) return integers_[index];
    index -= integers_.size();
    return index < addresses_.size() ? addresses_[index] : large_counts_[index - addresses_.size()];
  }

  /// All of them.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;

  /// Whether a form with MPI_Count was called.
  [[nodiscard]] bool large() const noexcept { return !large_counts_.empty(); }

  [[nodiscard]] const std::vector<MPI_Datatype>& types() const noexcept { return types_; }

  /// Keeps the `index`-th datatype alive beyond this object; the caller frees it where it is not a named one.
  [[nodiscard]] MPI_Datatype release(std::size_t index);

 private:
  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Count> large_counts_;
  std::vector<MPI_Datatype> types_;
};

/// Whether MPI itself defines the datatype: it must not be freed.
[[nodiscard]] bool is_named(MPI_Datatype type) noexcept;

}  // namespace trunkline::runtime
