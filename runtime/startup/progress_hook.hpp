// SPDX-License-Identifier: Apache-2.0
// Where the MPI library lets work of ours go on within its own calls: in each of them that waits or tests, whatever
// for, as its own non-blocking collectives do. So nothing that a program calls needs a wrapper, and a rank that blocks
// in MPI goes on with what others need of it.
//
//   Open MPI        opal_progress_register, by which its components and those of others register
//   MPICH from 5.0  MPIX_Async_start, an extension of its own
//   MPICH before    ucp_worker_progress, which it calls in each look at its network: a function of ours of that name
//                   stands before UCX's
//
// A function of ours stands before Open MPI's opal_progress, too: it is the look that questions about messages make.
//
// MPICH is locked while it calls back where threads are at once in it, so with MPI_THREAD_MULTIPLE there is no hook.
#pragma once

namespace trunkline::runtime {

/// Whether there is one here. Once MPI is initialised, before hook_up().
[[nodiscard]] bool has_progress_hook();

/// Whether any threads of this process may be in MPI at once.
[[nodiscard]] bool may_have_threads();

/// From now on `go_on` is called, by any thread that is in MPI, also within its own calls of MPI. It returns how much
/// got on. Until unhook(). Any number of times, with the same function, by one thread at a time. False:
/// the library refuses.
[[nodiscard]] bool hook_up(int (*go_on)());

/// Nothing is left to go on with: hook_up() comes before there is again. By one thread at a time.
void unhook();

}  // namespace trunkline::runtime
