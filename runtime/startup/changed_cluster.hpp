// SPDX-License-Identifier: Apache-2.0
// The cluster file of a job that follows it (TRUNKLINE_FOLLOW): who looks at it, and the world that follows from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "startup/world.hpp"

namespace trunkline::runtime {

/// A network that the file has described.
struct ClusterVersion {
  std::shared_ptr<const World> world;
  std::uint64_t fingerprint = 0;  ///< of the network
  std::string text{};             ///< of the file; empty: as it was in MPI_Init
};

/// The world that the job began with, as a pointer that can be kept: it lives as long as the process.
[[nodiscard]] std::shared_ptr<const World> lasting(const World& first);

/// What the file says now, as far as it can be taken; else what it said last, after a warning where this process
/// `speaks`. Looks at most four times a second, and takes what has not changed between two looks: it may just be
/// written. `first` is what the job began with. Used by any number of threads.
[[nodiscard]] std::shared_ptr<const ClusterVersion> look_at_cluster(const World& first, bool speaks);

/// The world of a text that another rank has taken. The same on all ranks. Throws std::exception where no rank can have
/// taken it.
[[nodiscard]] std::shared_ptr<const World> world_of(const World& first, const std::string& text);

}  // namespace trunkline::runtime
