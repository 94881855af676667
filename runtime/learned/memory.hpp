// SPDX-License-Identifier: Apache-2.0
// What jobs that learn (TRUNKLINE_LEARN) keep for jobs to come (TRUNKLINE_LEARNED). Rank 0 alone reads and writes
// files; what it has read all ranks hear once, in MPI_Init, so that they decide alike. No job fails for a file's sake.
#pragma once

#include <memory>

#include "learn/learned_file.hpp"
#include "startup/setup.hpp"
#include "startup/world.hpp"

namespace trunkline::runtime {

/// Collective over MPI_COMM_WORLD, once the ranks have agreed and all that times follow from is known: what jobs like
/// this one have found. Null, on all ranks, where the job does not learn or was told to keep nothing. Throws MpiError.
[[nodiscard]] std::shared_ptr<const Learned> recall(const Setup& setup, const World& world);

/// On rank 0, once a communicator is done with these calls, and was told `before` of them, or nothing. By any number of
/// threads. For calls that are alike on several communicators the one with the most calls counts.
void keep_learned(const Trials& trials, const AlikeCalls& like, const LearnedEntry* before);

/// At the end of the job: rank 0 writes what was kept to its file, in one piece. What other jobs have written there
/// meanwhile stays, but for calls that this one has also made.
void write_what_was_learned();

}  // namespace trunkline::runtime
