// SPDX-License-Identifier: Apache-2.0
// Numbers for the program's communicators, by which our messages tell them apart.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// The numbers that this process uses. Its members agree on a communicator's number: one that none of them
/// uses for another communicator. Two communicators may have the same number if no process is in both.
class Ids {
 public:
  /// Numbers from 0 to `count` - 1. MPI_COMM_WORLD has 0.
  explicit Ids(unsigned count);

  static constexpr unsigned of_world = 0;

  /// What agree() came to: MPI's code, which the communicator's error handler has then heard of, and a number where
  /// there was one left.
  struct Agreed {
    int code = MPI_SUCCESS;
    std::optional<unsigned> id{};
    bool busy = false;  ///< threads of the members got in each other's way too often: none, but for now only
  };

  /// Collective over `communicator`, in which this process is `rank`: one small reduction, or few. The number is in use
  /// until release().
  [[nodiscard]] Agreed agree(MPI_Comm communicator, int rank);

  void release(unsigned id);

  /// Called with each number before it is free for another communicator. Once, before any is in use.
  void before_release(std::function<void(unsigned)> forget) { forget_ = std::move(forget); }

 private:
  using Words = std::vector<std::uint64_t>;
  class Proposal;

  std::function<void(unsigned)> forget_{};
  std::mutex mutex_;
  Words free_;                   ///< one bit a number
  std::uint64_t proposing_ = 0;  ///< of every word the bits that are in a proposal that is not settled
};

}  // namespace trunkline::runtime
