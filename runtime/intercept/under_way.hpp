// SPDX-License-Identifier: Apache-2.0
// Calls that do not block: from their start, in an MPI_I... function or MPI_Start, to their end, which may come in any
// call of MPI's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "communicator/number_in_use.hpp"
#include "intercept/ready_call.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Whether calls that do not block may run plans, or somebody wants to know why they do not: they are the MPI library's
/// own then, on all ranks.
[[nodiscard]] bool may_start_calls();

/// Starts a call by its plan, and hands out a generalized request of the MPI library's, which is complete once the call
/// is over. Never waits. Returns MPI's code; empty: MPI's own is to be started, on all ranks alike.
[[nodiscard]] std::optional<int> start_call(std::unique_ptr<UserCall> call, MPI_Request* request);

/// Starts one whose request is a persistent receive from this rank itself, by `tag` on PrivateCommunicator::alone().
[[nodiscard]] int start_again(std::shared_ptr<const ReadyCall> call, MPI_Request* request, int tag);

/// Before a call that blocks begins its turn: waits for what those that have been started on the communicator must have
/// done by then. Returns MPI's code, of which the communicator's error handler has heard; so do those below.
[[nodiscard]] int wait_for_turn(MPI_Comm communicator, const NumberInUse& number, const NumberInUse::Turn& turn);

/// Before it asks what datagrams are to the communicator: until no meeting is to come of calls that have been started.
/// `number`: the communicator's, null where it has none yet.
[[nodiscard]] int wait_for_meetings(MPI_Comm communicator, const NumberInUse* number);

/// Before all members meet in it: until none of those under way goes by datagrams.
[[nodiscard]] int wait_for_multicasts(MPI_Comm communicator, const NumberInUse* number);

/// Until nothing is under way on a communicator, or it is revoked.
void wait_for_calls_on(MPI_Comm communicator);

/// Once, in MPI_Init: calls go on by a thread of ours, too (TRUNKLINE_PROGRESS=thread). Ends the job where there can be
/// none.
void begin_progress_thread();

/// Before MPI_Finalize, in which MPICH takes no locks any more. Calls that are started then run to their end at once
/// where the library has no hook.
void end_progress_thread();

[[nodiscard]] bool are_calls_under_way();
/// The communicator of the call under way that was started once, with this request; empty: it is of none.
[[nodiscard]] std::optional<MPI_Comm> communicator_of_started(MPI_Request request);

/// Whether a thread that waits has to go on with calls itself: some are under way, and the MPI library does not call us
/// back.
[[nodiscard]] bool must_go_on_with_calls();
void go_on_with_calls();

/// Before the program's communicator is freed: calls under way on it ask nothing of it any more.
void forget_communicator(MPI_Comm communicator);

/// In MPI_Finalize. What is under way then never ends.
void stop_calls_under_way();

}  // namespace trunkline::runtime
