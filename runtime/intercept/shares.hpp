// SPDX-License-Identifier: Apache-2.0
// Each rank's share of the data of a call, in the forms that MPI's functions have for it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "mpi_api.hpp"

namespace trunkline::runtime {

struct Shares {
  MPI_Count each = 0;  ///< where all are alike
  const int* counts = nullptr;
  const int* starts = nullptr;
  const MPI_Count* long_counts = nullptr;
  const MPI_Aint* long_starts = nullptr;
  bool by_rank = false;  ///< the arrays hold them

  [[nodiscard]] MPI_Count count(int rank) const {
    if (!by_rank) return each;
    return counts != nullptr ? counts[rank] : long_counts[rank];
  }
  [[nodiscard]] MPI_Count start(int rank) const {
    if (!by_rank) return each * rank;
    return starts != nullptr ? MPI_Count{starts[rank]} : MPI_Count{long_starts[rank]};
  }

  /// The program's own arrays, in MPI's form with counts of that type.
  template <class Count>
  [[nodiscard]] const Count* counts_in() const {
    if constexpr (std::is_same_v<Count, int>) {
      return counts;
    } else {
      return long_counts;
    }
  }
  template <class Count>
  [[nodiscard]] auto* starts_in() const {
    if constexpr (std::is_same_v<Count, int>) {
      return starts;
    } else {
      return long_starts;
    }
  }

  [[nodiscard]] bool has_starts() const { return starts != nullptr || long_starts != nullptr; }

  /// Elements of all of them; negative: MPI itself has to judge them.
  [[nodiscard]] MPI_Count total(int ranks) const {
    if (!by_rank) return each * ranks;
    if (counts == nullptr && long_counts == nullptr) return -1;
    MPI_Count all = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      if (count(rank) < 0) return -1;
      all += count(rank);
    }
    return all;
  }

  [[nodiscard]] std::vector<MPI_Count> all_counts(int ranks) const {
    std::vector<MPI_Count> all;
    all.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) all.push_back(count(rank));
    return all;
  }
};

[[nodiscard]] inline Shares shares_of(const int* counts, const int* starts = nullptr) {
  return {.counts = counts, .starts = starts, .by_rank = true};
}
[[nodiscard]] inline Shares shares_of(const MPI_Count* counts, const MPI_Aint* starts = nullptr) {
  return {.long_counts = counts, .long_starts = starts, .by_rank = true};
}

/// The shares of a call whose arrays the program may change meanwhile.
class KeptShares {
 public:
  /// May be called again where it has thrown. Throws std::bad_alloc.
  void keep(Shares& shares, int ranks) {
    if (!shares.by_rank) return;
    counts_ = shares.all_counts(ranks);
    starts_.resize(shares.has_starts() ? counts_.size() : 0);
    for (std::size_t rank = 0; rank < starts_.size(); ++rank) starts_[rank] = shares.start(static_cast<int>(rank));
    shares = {.long_counts = counts_.data(), .long_starts = starts_.data(), .by_rank = true};
  }

 private:
  std::vector<MPI_Count> counts_{};
  std::vector<MPI_Aint> starts_{};
};

/// One share, from the first element on, in the form of `like`.
class OneShare {
 public:
  OneShare(const Shares& like, MPI_Count count) : like_(like), short_count_(static_cast<int>(count)), count_(count) {}

  /// Valid while the object lives, where it lies.
  [[nodiscard]] Shares shares() const {
    if (!like_.by_rank) return {.each = count_};
    if (like_.counts != nullptr) return {.counts = &short_count_, .starts = &short_start_, .by_rank = true};
    return {.long_counts = &count_, .long_starts = &start_, .by_rank = true};
  }

 private:
  Shares like_;
  int short_count_;
  int short_start_ = 0;
  MPI_Count count_;
  MPI_Aint start_ = 0;
};

}  // namespace trunkline::runtime
