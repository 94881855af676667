// SPDX-License-Identifier: Apache-2.0
// How a rank that waits leaves its processor to others, where there are more ranks than processors. A rank that polls
// takes it from the one that it waits for.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <ctime>

#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {
bool HostMemory::may_sleep() const {
  if (queued_ > 0) return false;
  return std::ranges::none_of(lying_, [this](const MemoryOperation* one) {
    return peers_[own_].segment.ticket(one->ticket).load(std::memory_order_relaxed) == Ticket::asked;
  });
}

void HostMemory::sleep() const noexcept {
  const timespec longest{.tv_sec = 0, .tv_nsec = longest_sleep_.count()};
  std::atomic<std::uint32_t>& word = peers_[own_].segment.sleeps();
  syscall(SYS_futex, &word, FUTEX_WAIT, 1, &longest, nullptr, 0);
  word.store(0, std::memory_order_relaxed);
}

/// After whatever it is to find: either it sees that, or it is seen to sleep. So both sides write and look in one order
/// that all ranks agree on (seq_cst).
void HostMemory::wake(const SharedSegment& whose) noexcept {
  std::atomic<std::uint32_t>& word = whose.sleeps();
  if (word.load() == 0 || word.exchange(0) == 0) return;
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace trunkline::runtime
