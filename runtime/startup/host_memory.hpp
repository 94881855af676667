// SPDX-License-Identifier: Apache-2.0
// Whether the ranks of each host share memory, in this job.
#pragma once

#include <memory>

#include "startup/setup.hpp"
#include "startup/world.hpp"
#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {

/// Collective over MPI_COMM_WORLD, once the ranks have agreed. Null on all ranks where no host has several, where they
/// were told not to, or where it does not work: messages go over MPI then. Says which, where they are to explain.
/// Throws MpiError.
[[nodiscard]] std::unique_ptr<HostMemory> open_host_memory(const Setup& setup, const World& world,
                                                           const PrivateCommunicator& ours);

}  // namespace trunkline::runtime
