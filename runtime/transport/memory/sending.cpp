// SPDX-License-Identifier: Apache-2.0
// How messages get into what ranks share.
#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {

void HostMemory::send(MemoryOperation& one) {
  Peer& to = peers_[one.peer];
  if (to.queue.empty() && post(one)) return;
  one.state = MemoryOperation::State::queued;
  to.queue.push(one);
  ++queued_;
}

void HostMemory::send_to_all(std::span<MemoryOperation* const> all) {
  const MemoryOperation& first = *all.front();
  if (all.size() > 1 && first.bytes > SharedMessage::most_within && !first.is_long) {
    const std::uint32_t slot = take_slot({});
    if (slot != SharedMessage::none) {
      const SharedSegment& own = peers_[own_].segment;
      copies_.copy(own.slot(slot), first.at, first.bytes);
      own.readers(slot).store(static_cast<std::uint32_t>(all.size()), std::memory_order_relaxed);
      for (MemoryOperation* const one : all) one->slot = slot;
    }
  }
  for (MemoryOperation* const one : all) send(*one);
}

/// Whether it has left this process. It may be over, or wait for its ticket.
bool HostMemory::post(MemoryOperation& one) {
  using Kind = SharedMessage::Kind;
  Peer& to = peers_[one.peer];
  const SharedSegment& own = peers_[own_].segment;
  SharedMessage* const message = room_at(to);
  if (message == nullptr) return false;
  Kind kind = one.by_pieces ? Kind::asked : Kind::lying;
  const bool has_other_readers = one.slot != SharedMessage::none;
  // Before a slot, whose message leaves at once.
  if (one.wants_ticket && one.ticket == SharedMessage::none && !take_ticket(one)) return false;
  if (one.bytes <= SharedMessage::most_within) {
    kind = Kind::within;
  } else if (!one.is_long) {
    if (!has_other_readers) {
      one.slot = take_slot_for(one.peer);
      if (one.slot != SharedMessage::none) {
        copies_.copy(own.slot(one.slot), one.at, one.bytes);
      } else if (!reads_) {
        return false;
      } else {
        one.is_long = true;  // who reads it frees no slot that another one waits for
      }
    }
    if (!one.is_long) kind = Kind::slot;
  }
  const bool waits = one.is_long || one.wants_ticket;
  if (waits && one.ticket == SharedMessage::none && !take_ticket(one)) return false;
  message->kind = kind;
  message->stream = one.stream;
  message->communicator = one.call.communicator;
  message->bytes = one.bytes;
  message->turn = one.call.turn;
  message->claim = one.call.claim;
  message->place = reinterpret_cast<std::uintptr_t>(one.at);
  message->has_other_readers = has_other_readers;
  message->slot = one.slot;
  message->ticket = one.ticket;
  if (kind == Kind::within && one.bytes > 0) std::memcpy(message->data.data(), one.at, one.bytes);
  one.state = waits ? MemoryOperation::State::posted : MemoryOperation::State::over;
  if (one.is_long) lying_.push_back(&one);
  publish(to, *message);
  return true;
}

SharedMessage* HostMemory::room_at(Peer& to) const {
  SharedMessage& next = to.segment.inbox(own_, to.sent);
  return next.is_there.load(std::memory_order_acquire) == 0 ? &next : nullptr;
}

void HostMemory::publish(Peer& to, SharedMessage& message) {
  ++to.sent;
  if (looks_into_all()) {
    message.is_there.exchange(1);
  } else {
    message.is_there.store(1, std::memory_order_release);
    to.segment.bell()[own_ / 64].fetch_or(std::uint64_t{1} << (own_ % 64));
  }
  wake(to.segment);
}

/// Whether nothing is left to do for it.
bool HostMemory::push_pieces(MemoryOperation& one) {
  const SharedSegment& own = peers_[own_].segment;
  std::atomic<Ticket>& ticket = own.ticket(one.ticket);
  const Ticket now = ticket.load(std::memory_order_acquire);
  if (now == Ticket::posted || now == Ticket::reading) return false;  // who may not read asks then
  if (now != Ticket::asked) return true;                              // the receiver has let it go
  Peer& to = peers_[one.peer];
  while (one.moved < one.bytes) {
    SharedMessage* const message = room_at(to);
    if (message == nullptr) return false;
    const std::uint32_t slot = take_slot_for(one.peer);
    if (slot == SharedMessage::none) return false;
    const std::uint32_t bytes = std::min(one.bytes - one.moved, limits_.slot_bytes);
    copies_.copy(own.slot(slot), one.at + one.moved, bytes);
    message->kind = SharedMessage::Kind::piece;
    message->has_other_readers = 0;
    message->bytes = bytes;
    message->place = one.moved;
    message->slot = slot;
    message->ticket = one.ticket;
    one.moved += bytes;
    publish(to, *message);
  }
  return true;  // over once the receiver has them all
}

bool HostMemory::take_ticket(MemoryOperation& one) {
  const SharedSegment& own = peers_[own_].segment;
  if (tickets_.empty()) {
    std::erase_if(given_up_tickets_, [&](std::uint32_t ticket) {
      const bool is_free = own.ticket(ticket).load(std::memory_order_acquire) == Ticket::over;
      if (is_free) tickets_.push_back(ticket);
      return is_free;
    });
  }
  if (tickets_.empty()) return false;
  one.ticket = tickets_.back();
  tickets_.pop_back();
  own.ticket(one.ticket).store(Ticket::posted, std::memory_order_relaxed);
  return true;
}

void HostMemory::finish_send(MemoryOperation& one) noexcept {
  std::erase(lying_, &one);
  tickets_.push_back(one.ticket);
  one.ticket = SharedMessage::none;
  one.state = MemoryOperation::State::over;
}

void HostMemory::give_up_ticket(MemoryOperation& one) noexcept {
  given_up_tickets_.push_back(one.ticket);
  one.ticket = SharedMessage::none;
}

/// One that is free: of those for all peers, else of those for `peer`. Those for all go round: to write where another
/// processor has just read waits for its cache, on some machines for as long as the copy takes. What was never used
/// takes no memory, so no more go round than are needed for that.
std::uint32_t HostMemory::take_slot(std::optional<std::uint32_t> peer) {
  const auto peers = static_cast<std::uint32_t>(peers_.size());
  const bool has_unused = unused_slot_ < SharedSegment::slots(limits_, peers);
  reclaim(common_slots_.empty() && !has_unused ? busy_slots_.size() : std::min<std::size_t>(busy_slots_.size(), 2));
  std::uint32_t slot = SharedMessage::none;
  if (has_unused && (common_slots_.empty() || unused_slot_ < limits_.own_slots * peers + limits_.slots_in_turn)) {
    slot = unused_slot_++;
  } else if (!common_slots_.empty()) {
    slot = common_slots_.front();
    common_slots_.pop_front();
  } else if (peer && !own_slots_[*peer].empty()) {
    slot = own_slots_[*peer].back();
    own_slots_[*peer].pop_back();
  }
  if (slot != SharedMessage::none) busy_slots_.push_back({.slot = slot});
  return slot;
}

/// For the next message to that peer alone, which is to leave at once.
std::uint32_t HostMemory::take_slot_for(std::uint32_t peer) {
  const std::uint32_t slot = take_slot(peer);
  if (slot != SharedMessage::none) busy_slots_.back().message = BusySlot::Message{peer, peers_[peer].sent};
  return slot;
}

bool HostMemory::is_read(const BusySlot& one) const {
  if (!one.message) return peers_[own_].segment.readers(one.slot).load(std::memory_order_acquire) == 0;
  const Peer& to = peers_[one.message->peer];
  const std::uint64_t count = one.message->count;
  // Else a later message has its place in the inbox.
  return to.sent - count > limits_.inbox || to.segment.inbox(own_, count).is_there.load(std::memory_order_acquire) == 0;
}

/// Of the oldest ones those that nobody reads any more.
void HostMemory::reclaim(std::size_t oldest) {
  const std::uint32_t first_common = limits_.own_slots * static_cast<std::uint32_t>(peers_.size());
  const auto end = busy_slots_.begin() + static_cast<std::ptrdiff_t>(oldest);
  const auto kept = std::remove_if(busy_slots_.begin(), end, [&](const BusySlot& one) {
    if (!is_read(one)) return false;
    const std::uint32_t slot = one.slot;
    if (slot < first_common) {
      own_slots_[slot / limits_.own_slots].push_back(slot);
    } else {
      common_slots_.push_back(slot);
    }
    return true;
  });
  busy_slots_.erase(kept, end);
}

}  // namespace trunkline::runtime
