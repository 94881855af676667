// SPDX-License-Identifier: Apache-2.0
#include "execute/execution.hpp"

#include <algorithm>
#include <optional>

namespace trunkline::runtime {

bool Execution::go_on(Waiting waiting) {
  while (true) {
    try {
      return move(waiting);
    } catch (const GivenUp& other) {
      if (needs(other.rank)) {
        std::vector<int> told = peers();
        std::ranges::sort(told);
        told.erase(std::unique(told.begin(), told.end()), told.end());
        turn_.give_up_too(other.code, told);
        throw;
      }
      gone_.push_back(other.rank);
      leave_out(other.rank);
    }
  }
}

bool Execution::move(Waiting waiting) {
  while (!advance()) {
    awaited_.clear();
    await(awaited_);
    std::optional<Turn::Over> over;
    if (waiting == Waiting::where_needed) {
      over = turn_.wait_any(awaited_, is_receiving());
    } else if (!(over = turn_.test_any(awaited_, is_receiving(), patience_))) {
      return false;
    }
    patience_ = {};
    take(over->index, over->bytes);
  }
  return finish(waiting);
}

bool Execution::finish(Waiting waiting) {
  for (const std::span<MPI_Request> requests : sends()) {
    if (waiting == Waiting::where_needed) {
      turn_.wait_all(requests);
    } else if (!turn_.test_all(requests, patience_)) {
      return false;
    }
  }
  happened(Event::Kind::over, 0, -1, 0);
  return true;
}

bool Execution::is_gone(int rank) const { return !gone_.empty() && std::ranges::find(gone_, rank) != gone_.end(); }

}  // namespace trunkline::runtime
