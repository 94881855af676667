// SPDX-License-Identifier: Apache-2.0
// What is kept for a communicator of the user: nothing until a broadcast on it is considered for acceleration, its
// plans from then on, and a communicator of our own from the first accelerated broadcast on.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "communicator/root_plans.hpp"
#include "communicator/world.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Belongs to one communicator, as an attribute of it that no callback of the user sees and no duplicate inherits.
/// Used by one thread at a time, as MPI asks of collective calls on one communicator.
class Communicator {
 public:
  /// The state kept for an intra-communicator, made where there is none yet. `world` must outlive it. Throws MpiError.
  static Communicator& of(MPI_Comm communicator, const World& world, int rank, int ranks);

  /// Frees the state of every communicator that still has one. Collective, as MPI_Finalize is.
  static void free_all();

  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Whether all its processes are in MPI_COMM_WORLD. Where not, their hosts are unknown: native for ever.
  [[nodiscard]] bool all_in_world() const noexcept { return placement_ != nullptr; }

  /// The plans from `root`. Programs let many ranks be the root in turn, so they are kept for all of them.
  [[nodiscard]] RootPlans& plans(int root);

  /// The same processes with messages of their own; made by the first call, which is collective. Its errors are
  /// returned to us. MPI_COMM_NULL, on all ranks alike, where there is no room for it: MPI libraries have some
  /// thousands of communicators, and most are left to the program. Throws MpiError.
  [[nodiscard]] MPI_Comm internal();

  /// The number of a broadcast on internal(), for its tags: what an erroneous one has left behind must not be taken for
  /// part of a later one. Called once for each by all ranks.
  [[nodiscard]] unsigned next_turn() noexcept { return turns_++; }

 private:
  Communicator(MPI_Comm user, const World& world, int rank, int ranks);
  [[nodiscard]] bool create_internal();

  MPI_Comm user_;
  MPI_Comm internal_ = MPI_COMM_NULL;
  const World& world_;
  Rank rank_;
  std::shared_ptr<const Placement> placement_;
  bool no_internal_ = false;  ///< there was no room for it
  unsigned turns_ = 0;
  std::unordered_map<Rank, RootPlans> plans_;
};

}  // namespace trunkline::runtime
