// SPDX-License-Identifier: Apache-2.0
// TRUNKLINE_EXPLAIN: a sentence for each kind of call that ran, or a line of JSON for each call.
#pragma once

#include <cstdint>
#include <optional>

#include "collective/collective.hpp"
#include "communicator/local_plan.hpp"

namespace trunkline::runtime {

struct ExplainedCall {
  Collective collective;
  bool is_blocking = true;
  int ranks = 0;                         ///< of the communicator
  int root = 0;                          ///< meaningless where the collective has none
  std::optional<std::uint64_t> bytes{};  ///< none: it has no data, or the ranks did not agree on them
  unsigned communicator_id = 0;          ///< meaningless where the call is native
  const char* multicast = nullptr;       ///< what datagrams are to the communicator; null: no matter
  std::optional<double> measured_s{};    ///< on rank 0 of the communicator; none: a native call has only been started
};

/// Says what a call ran and why. In words: once for each communicator size, root, message size and decision. To be
/// called by rank 0 of the communicator, after the call.
void explain(const ExplainedCall& call, const LocalDecision& decision);

}  // namespace trunkline::runtime
