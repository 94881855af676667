// SPDX-License-Identifier: Apache-2.0
// What all ranks of MPI_COMM_WORLD have agreed on: the cluster, the plan, and the host of each of them. Every later
// decision follows from it without further exchange.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "decide/knowledge.hpp"
#include "learn/learned_file.hpp"
#include "startup/setup.hpp"

namespace trunkline::runtime {

/// Immutable once the ranks have agreed. What follows from a changed cluster file is another one.
struct World {
  Knowledge knowledge{};
  /// Host of each rank of MPI_COMM_WORLD: its number in the cluster; without a cluster, its number among the plan's
  /// hosts; null: hosts do not matter.
  std::shared_ptr<const Placement> placement{};
  GroupWay way = GroupWay::usual;  ///< of datagrams
  bool explain = false;
  bool strict = false;               ///< on any of the ranks
  bool trace = false;                ///< so too
  bool by_arrival = false;           ///< ranks of a host combine short allreduces as they come
  bool follow = false;               ///< calls follow the cluster file, and the plan file, when they change
  bool has_hook = false;             ///< the MPI library calls this rank back wherever it waits (progress_hook.hpp)
  bool has_progress_thread = false;  ///< on this rank (progress_thread.hpp)
  bool goes_on = false;              ///< one of both, on all ranks
  bool has_threads = false;          ///< MPI_THREAD_MULTIPLE, on any rank
  Learn learn = Learn::none;
  std::shared_ptr<const Learned> learned{};  ///< by jobs like this one; null: nothing is kept
  std::string cluster_file{};                ///< where it is, wherever the program goes; empty: none
  std::string plan_file{};                   ///< so too
  std::uint64_t plan_fingerprint = 0;
  const World* first = nullptr;  ///< what the job began with, where this followed from a changed file

  /// Of what plans follow from: the network, and the plan file. There is a cluster.
  [[nodiscard]] std::uint64_t fingerprint() const { return knowledge.cluster->fingerprint() ^ plan_fingerprint; }
};

/// What this rank could make of its settings.
struct LocalView {
  World world;
  HostIndex host = 0;
  std::string host_name;
  std::string problem;    ///< empty: none
  bool disabled = false;  ///< the user wants nothing changed

  /// What must be equal on all ranks.
  std::uint64_t cluster_fingerprint = 0;
  std::uint64_t tuning_fingerprint = 0;
  std::uint64_t choice_fingerprint = 0;
};

/// Reads the cluster and the plan and finds this rank's host. Faults in them are not thrown: they become the view's
/// problem.
[[nodiscard]] LocalView local_view(const Setup& setup);

}  // namespace trunkline::runtime
