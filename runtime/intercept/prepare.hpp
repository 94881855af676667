// SPDX-License-Identifier: Apache-2.0
// What one call is going to run, and its place among the calls of its communicator.
#pragma once

#include <cstdint>
#include <memory>

#include "communicator/communicator.hpp"
#include "intercept/call.hpp"
#include "intercept/shared_facts.hpp"
#include "receipt/receipt.hpp"

namespace trunkline::runtime {

struct Prepared {
  int code = MPI_SUCCESS;                    ///< MPI's, of which the communicator's error handler has heard
  Communicator* communicator = nullptr;      ///< where it is not native
  std::shared_ptr<const Members> members{};  ///< of that
  std::shared_ptr<NumberInUse> number{};     ///< of that
  std::uint64_t turn = 0;                    ///< of the call on it
  std::shared_ptr<DatagramGroup> group{};    ///< of the communicator, where the plan uses datagrams and they reach all
  bool have_met = false;                     ///< all its ranks, for that group
  std::shared_ptr<const LocalDecision> decision{};  ///< null: native, where nobody asks for more than whose choice
  ChosenBy chosen_by = ChosenBy::none;              ///< without a decision
  const char* why = "";                             ///< without a decision
  Learning* learning = nullptr;                     ///< of a call that may be tried, which is to hear how long it took
  const char* multicast = nullptr;  ///< where it was or would have been one: what datagrams are to the communicator
};

/// Of a call that may wait: it may be collective on the communicator, once for each, and now and then. Bytes that have
/// to be agreed on are, where they count.
[[nodiscard]] Prepared prepare(const UserCall& user, SharedFacts& shared);

/// Of one that does not block: nothing is communicated, and what would have to be is left out, and owed
/// (communicator/owing.hpp). A persistent one gets a number of its own, and agrees on lengths, which is collective. It
/// gets its turn when it is started.
[[nodiscard]] Prepared prepare_to_start(const UserCall& user, SharedFacts& shared, CallForm form);

/// Of a call that has been started: by what takes the place of datagrams, or where that is none of ours, along the
/// confirm tree, by messages.
void leave_out_datagrams(Prepared& prepared);

}  // namespace trunkline::runtime
