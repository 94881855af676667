// SPDX-License-Identifier: Apache-2.0
// The library's state in this process, from MPI_Init to MPI_Finalize.
#pragma once

#include <atomic>

#include "startup/setup.hpp"
#include "startup/world.hpp"
#include "trace/recorder.hpp"
#include "transport/memory/host_memory.hpp"
#include "transport/mpi/private_communicator.hpp"

namespace trunkline::runtime {

/// Whether a collective call is worth a second look; all that a call costs where it is not.
extern std::atomic<bool> watching;

/// What the ranks agreed on; null before MPI_Init, after MPI_Finalize, and where the library stays out.
[[nodiscard]] const World* world();

/// Carries our messages; there is one where there is a world.
[[nodiscard]] PrivateCommunicator* private_communicator();

/// Of the ranks of this host; null: their messages go over MPI, as all others.
[[nodiscard]] HostMemory* host_memory();

/// Where the ranks were told to trace; else null.
[[nodiscard]] Recorder* recorder();

/// By a call of the program, else by a setting.
[[nodiscard]] const Wish& wish_for(Collective collective);

/// Not to be called while a call of that collective is under way.
void wish_by_call(Collective collective, const Wish& wish);

/// To be called once MPI is initialised. Reads the settings and agrees on them with the other ranks; ends the job
/// where they are wrong.
void start();

/// Ends the process where it runs on another MPI library than the one this library is built for.
void refuse_wrong_mpi();

}  // namespace trunkline::runtime
