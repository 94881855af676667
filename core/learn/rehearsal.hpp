// SPDX-License-Identifier: Apache-2.0
// Trials without a job: what they would do, were calls to take stated times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "learn/trials.hpp"

namespace trunkline {

/// Seconds of a call of an arm, of which `calls` have been before. Asked once for each call, in their order.
using CallClock = std::function<double(std::size_t arm, std::uint64_t calls)>;

struct Rehearsal {
  std::vector<std::size_t> ran{};   ///< by call: its arm
  std::uint64_t settled_after = 0;  ///< calls, the first time; 0: it did not settle
  std::size_t runs = 0;             ///< in the end
  std::uint64_t changes = 0;        ///< how often all was tried anew
};

/// A program whose `calls` calls are alike, on the first communicator of a job, in intervals as the runtime makes them.
/// Meetings bring times at once, and cost nothing.
[[nodiscard]] Rehearsal rehearse(Trials trials, std::uint64_t calls, const CallClock& clock);

}  // namespace trunkline
