// SPDX-License-Identifier: Apache-2.0
// A call by the plan that was decided for it: its messages, and what becomes of errors.
#pragma once

#include "intercept/call.hpp"
#include "intercept/prepare.hpp"
#include "intercept/shared_facts.hpp"
#include "trace/recorder.hpp"

namespace trunkline::runtime {

/// Of a call that is not native. Returns MPI's code, of which the communicator's error handler has heard.
[[nodiscard]] int run_plan(const UserCall& call, const SharedFacts& shared, const Prepared& prepared,
                           TracedCall& traced);

}  // namespace trunkline::runtime
