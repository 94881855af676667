// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/host_memory.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace trunkline::runtime {

namespace {

/// What MPI has under way goes on in between: the program's own requests are served at least as often. The more ranks
/// share a processor, the longer, so that all of them together take a few hundredths of it.
std::chrono::nanoseconds longest_sleep(const Machine& machine) {
  constexpr std::chrono::nanoseconds alone(50'000);
  constexpr std::chrono::nanoseconds most(500'000);
  return std::min(most,
                  alone * static_cast<std::int64_t>(machine.ranks) / static_cast<std::int64_t>(machine.processors));
}

}  // namespace

HostMemory::HostMemory(const MemoryLimits& limits, const MemoryHost& host)
    : limits_(limits),
      alone_(host.alone),
      is_threaded_(host.is_threaded),
      is_crowded_(host.machine.is_crowded),
      longest_sleep_(longest_sleep(host.machine)),
      own_(host.own),
      numbers_(host.all_ranks, elsewhere),
      peers_(host.ranks.size()),
      copies_(limits.slow_copy_byte_s, limits.slots_in_turn),
      own_slots_(host.ranks.size()) {
  const auto peers = static_cast<std::uint32_t>(peers_.size());
  for (std::uint32_t peer = 0; peer < peers; ++peer) {
    peers_[peer].rank = host.ranks[peer];
    peers_[peer].process = host.processes[peer];
    if (peer != own_) numbers_[static_cast<std::size_t>(host.ranks[peer])] = static_cast<std::uint16_t>(peer);
  }
  const std::uint32_t slots = SharedSegment::slots(limits_, peers);
  busy_slots_.reserve(slots);
  unused_slot_ = limits_.own_slots * peers;
  for (std::uint32_t slot = limits_.own_slots * peers; slot-- > 0;) {
    own_slots_[slot / limits_.own_slots].push_back(slot);
  }
  tickets_.reserve(limits_.tickets);
  given_up_tickets_.reserve(limits_.tickets);
  for (std::uint32_t ticket = limits_.tickets; ticket-- > 0;) tickets_.push_back(ticket);
}

MemoryCall& HostMemory::enter(const MemoryCallKey& key) {
  if (spare_calls_.empty()) spare_calls_.emplace_back();
  MemoryCall& call = spare_calls_.front();
  call.key = key;
  call.has_other_claims = false;
  for (auto one = early_.begin(); one != early_.end();) {
    const auto next = std::next(one);
    if (one->call.communicator == key.communicator && one->call.turn <= key.turn) {
      if (one->call.turn == key.turn && one->call.claim == key.claim) {
        try {
          auto& lane = call.lane(one->peer, one->stream);
          lane.early.splice(lane.early.end(), early_, one);
        } catch (...) {  // the next one to enter is not to find them there
          for (MemoryLane& lane : call.lanes) early_.splice(early_.begin(), lane.early);
          call.lanes.clear();
          throw;
        }
      } else {  // of another claim, or left over from an earlier call
        call.has_other_claims = call.has_other_claims || one->call.turn == key.turn;
        settle(one->peer, one->ticket);
        early_.erase(one);
      }
    }
    one = next;
  }
  calls_.splice(calls_.begin(), spare_calls_, spare_calls_.begin());
  return call;
}

void HostMemory::leave(MemoryCall& call) noexcept {
  for (MemoryLane& lane : call.lanes) {
    for (const EarlyMessage& one : lane.early) settle(one.peer, one.ticket);
  }
  call.lanes.clear();
  const auto here = std::ranges::find_if(calls_, [&](const MemoryCall& one) { return &one == &call; });
  spare_calls_.splice(spare_calls_.begin(), calls_, here);
}

MemoryOperation& HostMemory::operation() {
  if (spare_operations_.empty()) {
    spare_operations_.reserve(operations_.size() + 1);  // giving back takes no memory
    return operations_.emplace_back();
  }
  MemoryOperation& one = *spare_operations_.back();
  spare_operations_.pop_back();
  return one;
}

void HostMemory::give_back(MemoryOperation& one) noexcept {
  one = MemoryOperation();
  spare_operations_.push_back(&one);
}

void HostMemory::receive(MemoryOperation& one, MemoryCall& call) {
  MemoryLane& lane = call.lane(one.peer, one.stream);
  if (lane.early.empty()) {
    lane.posted.push(one);
    return;
  }
  const EarlyMessage& first = lane.early.front();
  deliver(one, first, first.data.get());
  lane.early.pop_front();
}

void HostMemory::answer_bell() {
  const auto bell = peers_[own_].segment.bell();
  for (std::size_t word = 0; word < bell.size(); ++word) {
    if (bell[word].load() == 0) continue;
    for (std::uint64_t bits = bell[word].exchange(0, std::memory_order_acquire); bits != 0; bits &= bits - 1) {
      const auto peer = static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (peer < peers_.size()) look_into(peer);
    }
  }
}

void HostMemory::progress() {
  if (looks_into_all()) {
    for (std::uint32_t peer = 0; peer < peers_.size(); ++peer) {
      if (peer != own_) look_into(peer);
    }
  } else {
    answer_bell();
  }
  if (queued_ > 0) {
    for (Peer& peer : peers_) {
      while (!peer.queue.empty() && post(*peer.queue.first())) {
        peer.queue.pop();
        --queued_;
      }
    }
  }
  if (!lying_.empty()) std::erase_if(lying_, [this](MemoryOperation* one) { return push_pieces(*one); });
}

bool HostMemory::is_over(MemoryOperation& one) {
  if (one.is_send && one.state == MemoryOperation::State::posted && one.ticket != SharedMessage::none &&
      peers_[own_].segment.ticket(one.ticket).load() == Ticket::over) {
    finish_send(one);
  }
  return one.state == MemoryOperation::State::over;
}

bool HostMemory::let_go(MemoryOperation& one, MemoryCall& call) noexcept {
  using State = MemoryOperation::State;
  bool is_in_use = false;
  if (one.is_send) {
    if (one.state == State::queued && peers_[one.peer].queue.remove(one)) {
      --queued_;
      if (one.slot != SharedMessage::none) peers_[own_].segment.readers(one.slot).fetch_sub(1);
      if (one.ticket != SharedMessage::none) tickets_.push_back(one.ticket);
    } else if (one.state == State::posted) {
      std::erase(lying_, &one);
      std::atomic<Ticket>& ticket = peers_[own_].segment.ticket(one.ticket);
      Ticket now = Ticket::posted;
      if (!ticket.compare_exchange_strong(now, Ticket::withdrawn) && now == Ticket::reading) {
        // It is being read just now. A reader that has been stopped in the middle may go on later.
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (now == Ticket::reading && std::chrono::steady_clock::now() < end) {
          std::this_thread::yield();
          now = ticket.load(std::memory_order_acquire);
        }
        is_in_use = now == Ticket::reading;
      }
      give_up_ticket(one);
    }
  } else if (one.state == State::posted) {
    static_cast<void>(call.lane(one.peer, one.stream).posted.remove(one));
  } else if (one.state == State::lying || one.state == State::by_pieces) {
    std::erase(by_pieces_, &one);
    settle(one.peer, one.ticket);
  }
  give_back(one);
  return is_in_use;
}

}  // namespace trunkline::runtime
