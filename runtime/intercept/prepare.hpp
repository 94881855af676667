// SPDX-License-Identifier: Apache-2.0
// What one call is going to run, and its place among the calls of its communicator.
#pragma once

#include <cstdint>
#include <memory>

#include "communicator/communicator.hpp"
#include "intercept/call.hpp"
#include "intercept/shared_facts.hpp"

namespace trunkline::runtime {

struct Prepared {
  int code = MPI_SUCCESS;                ///< MPI's, of which the communicator's error handler has heard
  Communicator* communicator = nullptr;  ///< where it is not native
  unsigned id = 0;                       ///< of the communicator
  std::uint64_t turn = 0;                ///< of the call on it
  DatagramGroup* group = nullptr;        ///< of the communicator, where the plan uses datagrams and they reach all
  bool have_met = false;                 ///< all its ranks, for that group
  std::shared_ptr<const LocalDecision> decision{};  ///< null: native, where nobody asks for more than whose choice
  ChosenBy chosen_by = ChosenBy::none;              ///< without a decision
  const char* why = "";                             ///< without a decision
  Learning* learning = nullptr;                     ///< of a call that may be tried, which is to hear how long it took
  const char* multicast = nullptr;  ///< where it was or would have been one: what datagrams are to the communicator
};

/// May be collective on the communicator: once for each, and now and then. Bytes that have to be agreed on are, where
/// they count.
[[nodiscard]] Prepared prepare(const UserCall& user, SharedFacts& shared);

}  // namespace trunkline::runtime
