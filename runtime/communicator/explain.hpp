// SPDX-License-Identifier: Apache-2.0
// TRUNKLINE_EXPLAIN=1: one line for each kind of call that ran.
#pragma once

#include <cstdint>

#include "collective/collective.hpp"
#include "communicator/local_plan.hpp"

namespace trunkline::runtime {

/// Says what a call ran and why, once for each communicator size, root, message size and decision. To be called
/// by rank 0 of the communicator, after the call; `measured_s` is what it took there. `multicast`: what datagrams are
/// to the communicator; null: no matter.
void explain(Collective collective, int ranks, int root, std::uint64_t bytes, const LocalDecision& decision,
             const char* multicast, double measured_s);

}  // namespace trunkline::runtime
