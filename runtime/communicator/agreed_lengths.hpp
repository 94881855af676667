// SPDX-License-Identifier: Apache-2.0
// What the ranks of a communicator know alike of an alltoall in which each knows the lengths of its own blocks alone.
//
// They add up what each has for others before the first call, and again as often as that costs a hundredth of the
// calls. In between they decide by what they know: so a decision never differs among ranks, and is late where blocks
// have become longer or shorter. Plans run whatever the lengths are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// What one rank has for others.
struct OwnLengths {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;  ///< that are not empty
};

class AgreedLengths {
 public:
  /// That ranks add up.
  static constexpr std::size_t values = 4;
  static constexpr std::uint64_t bytes = values * sizeof(std::uint64_t);

  /// `telling_s`: what adding up is predicted to cost.
  explicit AgreedLengths(double telling_s) : telling_s_(telling_s) {}

  /// Begins a call: once for each, by all ranks. Whether they are to be added up first.
  [[nodiscard]] bool is_due();

  /// Where that is due, on all `ranks` ranks, two or more. Returns MPI's code.
  [[nodiscard]] int add_up(MPI_Comm user, int ranks, const OwnLengths& own);

  /// Where it is due before a call that may not wait: its lengths are added up before the next one that may.
  void owe(const OwnLengths& own) noexcept { owed_ = own; }
  [[nodiscard]] bool is_owed() const noexcept { return owed_.has_value(); }
  [[nodiscard]] int settle(MPI_Comm user, int ranks);

  [[nodiscard]] bool are_known() const noexcept { return agreed_ > 0; }

  /// The call took so long here. What those take that do not block is not known: then the time counts that has passed.
  void took(double seconds) { took_s_ += seconds; }

  /// Of a block between two ranks, empty ones among them, on average; never 0, but down to where its class of sizes
  /// begins.
  [[nodiscard]] std::uint64_t block_bytes() const { return block_bytes_; }

  /// Most pairs of ranks have nothing to tell each other.
  [[nodiscard]] bool are_sparse() const { return are_sparse_; }

 private:
  double telling_s_;          ///< what adding up costs: as predicted, or as it took on average, if that is less
  double told_s_ = 0.0;       ///< what it took here
  double took_s_ = 0.0;       ///< here, since they were added up
  std::uint64_t calls_ = 0;   ///< since then
  std::uint64_t agreed_ = 0;  ///< so many calls go by what is known
  std::uint64_t block_bytes_ = 1;
  bool are_sparse_ = false;
  std::optional<OwnLengths> owed_{};
  double added_up_at_s_ = 0.0;
};

}  // namespace trunkline::runtime
