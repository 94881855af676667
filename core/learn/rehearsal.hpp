// SPDX-License-Identifier: Apache-2.0
// Trials without a job: what they would do, were calls to take stated times.
#pragma once

#include <algorithm>
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
[[nodiscard]] inline Rehearsal rehearse(Trials trials, std::uint64_t calls, const CallClock& clock) {
  constexpr std::uint64_t first_interval = 10;
  constexpr std::uint64_t usual_interval = 512;
  LossAccount account(granted_loss_s);
  Rehearsal found;
  found.ran.reserve(calls);
  std::uint64_t interval = first_interval;
  for (std::uint64_t done = 0; done < calls;) {
    std::vector<double> seconds;
    const std::uint64_t now = std::min(interval, calls - done);
    for (std::uint64_t call = 0; call < now; ++call, ++done) {
      found.ran.push_back(trials.arm_of(call));
      const double took_s = clock(found.ran.back(), done);
      if (seconds.size() < most_timed) seconds.push_back(took_s);
    }
    trials.end_interval(now, seconds, account);
    if (found.settled_after == 0 && trials.is_settled()) found.settled_after = done;
    double left_s = account.left_s();
    trials.begin_interval(left_s);
    interval = trials.urgent_calls() > 0 ? trials.urgent_calls() : usual_interval;
  }
  found.runs = trials.runs();
  found.changes = trials.changes();
  return found;
}

}  // namespace trunkline
