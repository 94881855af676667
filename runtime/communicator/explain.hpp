// SPDX-License-Identifier: Apache-2.0
// TRUNKLINE_EXPLAIN=1: one line for each kind of broadcast that ran.
#pragma once

#include <cstdint>

#include "communicator/decision.hpp"

namespace trunkline::runtime {

/// Says what a broadcast ran and why, once for each communicator size, root, message size and decision. To be called
/// by rank 0 of the communicator, after the broadcast; `measured_s` is what it took there.
void explain(int ranks, int root, std::uint64_t bytes, const Decision& decision, double measured_s);

}  // namespace trunkline::runtime
