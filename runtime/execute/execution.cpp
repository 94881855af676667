// SPDX-License-Identifier: Apache-2.0
#include "execute/execution.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace trunkline::runtime {

bool Execution::go_on(Waiting waiting) {
  while (true) {
    try {
      return move(waiting);
    } catch (const GivenUp& other) {
      if (needs(other.rank)) {
        transport_.give_up_too(other.code, all_peers());
        throw;
      }
      gone_.push_back(other.rank);
      leave_out(other.rank);
    } catch (const LongWait&) {
      say_long_wait();
    }
  }
}

/// Each of them once, in order.
std::vector<int> Execution::all_peers() const {
  std::vector<int> all = peers();
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// A rank that has no memory for the words goes on without.
void Execution::say_long_wait() const try {
  std::vector<int> awaited = all_peers();
  std::erase_if(awaited, [this](int rank) { return is_gone(rank); });
  const bool receiving = std::ranges::any_of(awaited, [this](int rank) { return needs(rank); });
  if (receiving) std::erase_if(awaited, [this](int rank) { return !needs(rank); });
  transport_.say_long_wait(awaited, receiving);
} catch (const std::bad_alloc&) {
}

bool Execution::move(Waiting waiting) {
  while (!advance()) {
    if (const std::uint64_t before = std::exchange(progress_, progress()); before != progress_) watchdog_.got_on();
    if (puts_off_messages()) {
      if (waiting == Waiting::where_needed) continue;
      return false;
    }
    awaited_.clear();
    await(awaited_);
    std::optional<Transport::Over> over;
    if (waiting == Waiting::where_needed && !looks_itself()) {
      over = transport_.wait_any(awaited_, is_receiving());
    } else if (!(over = transport_.test_any(awaited_, is_receiving(), watchdog_))) {
      if (waiting == Waiting::where_needed) continue;
      return false;
    }
    watchdog_ = {};
    take(over->index, over->bytes);
  }
  return finish(waiting);
}

bool Execution::finish(Waiting waiting) {
  for (const std::span<Pending> requests : sends()) {
    if (waiting == Waiting::where_needed) {
      transport_.wait_all(requests);
    } else if (!transport_.test_all(requests, watchdog_)) {
      return false;
    }
  }
  settle();
  happened(Event::Kind::over, 0, -1, 0);
  return true;
}

/// Where somebody watches, each message by itself: a trace says when each of them began.
void Execution::hand_to_all(const Chunk& chunk, std::span<const int> ranks, unsigned tree, std::uint64_t segment,
                            bool synchronous, std::span<Pending> pending) {
  if (gone_.empty() && !is_watched()) {
    transport_.send_to(chunk, ranks, tree, synchronous, pending);
    return;
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (is_gone(ranks[i])) continue;
    happened(Event::Kind::handed_on, tree, ranks[i], segment);
    transport_.send(chunk, ranks[i], tree, synchronous, pending[i]);
  }
}

bool Execution::is_gone(int rank) const { return !gone_.empty() && std::ranges::find(gone_, rank) != gone_.end(); }

}  // namespace trunkline::runtime
