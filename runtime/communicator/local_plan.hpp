// SPDX-License-Identifier: Apache-2.0
// What one rank is going to run for a call, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decide/decision.hpp"
#include "execute/part.hpp"
#include "plan/in_flight.hpp"
#include "plan/plan.hpp"

namespace trunkline::runtime {

/// A plan as one rank sees it.
struct LocalPlan {
  std::string_view key;                     ///< tells them from the root's others, together with
  std::uint64_t laid_for_bytes = 0;         ///< as in the decision
  std::uint64_t key_hash = 0;               ///< of both
  const char* name;                         ///< the algorithm's; lives as long as the process
  std::unique_ptr<const LocalPart> part{};  ///< what runs it
  std::vector<int> far{};                   ///< whom this rank sends to or receives from a long way off
  InFlight in_flight{};                     ///< for its window, with `far`
  std::uint64_t identity = 0;               ///< the same on all ranks of a traced job; else 0
  std::shared_ptr<const Plan> whole{};      ///< at the root of a traced job's; else null
  std::string load{};  ///< how its transfers share channels, where explanations are wanted; else empty
};

/// Shared by all calls that it holds for; each keeps it alive while it runs.
struct LocalDecision {
  std::shared_ptr<const LocalPlan> plan{};  ///< null: native
  std::uint64_t segment_bytes = 0;          ///< where it is not native
  std::uint64_t bytes = 0;                  ///< of the message that it was made for
  std::string reason{};
  ChosenBy chosen_by = ChosenBy::none;
  std::optional<double> predicted_s{};  ///< where explanations are wanted and it is known
  bool by_arrival = false;              ///< ranks of a host combine as they come
  /// Where datagrams do not reach all ranks; null: this one all the same.
  std::shared_ptr<const LocalDecision> without_datagrams{};
  double saved_s = 0.0;           ///< what it is predicted to save beside that one
  double opening_s = 0.0;         ///< what ranks spend once on a communicator, to be reached by datagrams
  double saved_natively_s = 0.0;  ///< where it may wait: what it is predicted to save beside the library's own
  double numbering_s = 0.0;       ///< and what ranks spend once, to agree on a communicator's number; 0: it may not

  /// Where it is not native.
  [[nodiscard]] Pace pace() const {
    return {.segment_bytes = segment_bytes, .in_flight = plan->in_flight, .by_arrival = by_arrival};
  }
};

}  // namespace trunkline::runtime
