// SPDX-License-Identifier: Apache-2.0
// What all ranks of a call know equally of it, and nothing else: what decides must be the same on all of them.
#pragma once

#include <cstdint>
#include <optional>

#include "intercept/call.hpp"

namespace trunkline::runtime {

struct SharedFacts {
  int rank = 0;
  int ranks = 0;
  std::uint64_t bytes = 0;           ///< unknown_bytes: they have to be agreed on
  AgreedLengths* lengths = nullptr;  ///< of a call whose bytes they are: they are to hear how long it took
  const char* native = nullptr;      ///< why it is that, whatever the plans say; null: it need not be
};

/// MPI's code, of which the communicator's error handler has heard. `shared` stays empty where MPI itself has to judge
/// the arguments, or where there is nothing to send.
[[nodiscard]] int find_shared_facts(const UserCall& user, std::optional<SharedFacts>& shared);

}  // namespace trunkline::runtime
