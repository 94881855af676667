// SPDX-License-Identifier: Apache-2.0
// Simulated ranks are linked with the library and have one environment: all of them have it, or are disabled together.
// Then nothing may go before their first broadcast: SMPI's own split-binary one hangs after another collective call.
#include "startup/roll.hpp"

namespace trunkline::runtime {

bool call_roll(const Setup& setup) { return !setup.disable; }

bool is_waiting_for_silent_ranks() { return false; }

void forget_silent_ranks() {}

}  // namespace trunkline::runtime
