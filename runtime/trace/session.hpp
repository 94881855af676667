// SPDX-License-Identifier: Apache-2.0
// A job's trace from MPI_Init to MPI_Finalize: its files' common name, who could not make one, and what lies beside
// the ranks' files.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mpi_api.hpp"
#include "plan_file/plan_file.hpp"
#include "startup/world.hpp"
#include "trace/recorder.hpp"
#include "transport/mpi/private_communicator.hpp"

namespace trunkline::runtime {

/// Collective over the communicator of all ranks of MPI_COMM_WORLD, where one of them was told to trace; it has no
/// other use meanwhile. The lowest rank that cannot make its file says so, and the program goes on. Throws MpiError.
[[nodiscard]] std::unique_ptr<Recorder> start_trace(const Setup& setup, const World& world,
                                                    const PrivateCommunicator& ours);

/// Collective, as `start_trace`: compares the clocks once more, so that how they drift is known. Throws MpiError.
void compare_clocks_again(Recorder& recorder, const PrivateCommunicator& ours);

/// At the end. Says what was lost for want of a file, where `start_trace` has had this rank warn.
void stop_trace(Recorder& recorder);

/// A plan beside the ranks' files, as `trunkline plan` writes it, and the ranks of MPI_COMM_WORLD that it is over.
/// Where they cannot be written, says so once. Throws std::exception.
void keep_plan(const Recorder& recorder, std::uint64_t identity, const PlanFile& plan, std::span<const int> ranks);

}  // namespace trunkline::runtime
