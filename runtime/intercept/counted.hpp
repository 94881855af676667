// SPDX-License-Identifier: Apache-2.0
// How calls come into the job's receipt.
#pragma once

#include <cstdint>
#include <memory>

#include "decide/decision.hpp"
#include "intercept/arguments.hpp"
#include "intercept/prepare.hpp"
#include "receipt/receipt.hpp"

namespace trunkline::runtime {

/// Why a call ran what it ran.
struct Why {
  ChosenBy chosen_by = ChosenBy::none;
  const char* words = "one rank, two groups, nothing to send, or arguments that MPI judges";
  std::shared_ptr<const LocalDecision> decision{};

  [[nodiscard]] static Why of(const Prepared& prepared) {
    return {.chosen_by = prepared.chosen_by, .words = prepared.why, .decision = prepared.decision};
  }
};

/// Nothing where the job has no receipt. `bytes`: unknown_bytes where they are not known.
void count_call(const Arguments& call, std::uint64_t bytes, const char* algorithm, const Why& why, const Took& took);

}  // namespace trunkline::runtime
