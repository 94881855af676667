// SPDX-License-Identifier: Apache-2.0
// The fabric stands for hardware: it has to run when it wants to.
#pragma once

#include <string_view>

namespace trunkline::fabric {

/// Takes the best priority that the caller may have: real-time, else nice -20, else the shortest time slice that the
/// kernel grants anyone. Returns which: "fifo", "nice", "slice" or "none".
std::string_view take_priority();

}  // namespace trunkline::fabric
