// SPDX-License-Identifier: Apache-2.0
// Whether every rank of the job has loaded this library. One that has not would take whatever we send for its own: no
// message goes to a rank that has not shown itself first.
#pragma once

#include "startup/setup.hpp"

namespace trunkline::runtime {

/// To be called by every rank that has the library, once MPI is initialised and before anything else of ours. Whether
/// all ranks of MPI_COMM_WORLD called it; the same on all of them. Where one has stayed silent for
/// `setup.patience_s`, a warning names it, or, where a rank is strict, the job ends. Throws MpiError.
[[nodiscard]] bool call_roll(const Setup& setup);

/// Whether rank 0 still has receives posted for ranks that stayed silent: they may come late.
[[nodiscard]] bool is_waiting_for_silent_ranks();

/// Takes those receives back.
void forget_silent_ranks();

}  // namespace trunkline::runtime
