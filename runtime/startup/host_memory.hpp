// SPDX-License-Identifier: Apache-2.0
// Whether the ranks of each host share memory, in this job.
#pragma once

#include <memory>

#include "startup/setup.hpp"
#include "startup/world.hpp"
#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {

/// Collective over MPI_COMM_WORLD, once the ranks have agreed: how many of them share this rank's machine, whatever
/// hosts they stand for. Ranks that wait go by it (yields.hpp). Throws MpiError.
[[nodiscard]] Machine find_machine(const World& world, const PrivateCommunicator& ours);

/// So too. Null on all ranks where no host has several, where they
/// were told not to, or where it does not work: messages go over MPI then. Says which, where they are to explain.
/// Throws MpiError.
[[nodiscard]] std::unique_ptr<HostMemory> open_host_memory(const Setup& setup, const World& world,
                                                           const PrivateCommunicator& ours, const Machine& machine);

}  // namespace trunkline::runtime
