// SPDX-License-Identifier: Apache-2.0
// How messages get out of what ranks share.
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "transport/memory/host_memory.hpp"
#include "transport/memory/packing.hpp"

namespace trunkline::runtime {
namespace {

/// What is in a row at `from` to where the chunk lies. Returns MPI's code.
int unpack_row(const std::byte* from, std::uint32_t bytes, const Chunk& into, MPI_Comm alone) {
  if (bytes == 0) return MPI_SUCCESS;
  if (into.type == MPI_BYTE) {
    std::memcpy(into.at, from, bytes);
    return MPI_SUCCESS;
  }
  return unpack_chunk(from, static_cast<int>(bytes), into, alone);
}

}  // namespace

void HostMemory::look_into(std::uint32_t peer) {
  const SharedSegment& own = peers_[own_].segment;
  Peer& from = peers_[peer];
  while (true) {
    SharedMessage& next = own.inbox(peer, from.taken);
    if (next.is_there.load() == 0) return;      // in one order with sleeps(), as whoever wakes this rank looks
    if (is_sound(next) && !take(peer, next)) {  // no memory for it: it stays
      if (!looks_into_all()) own.bell()[peer / 64].fetch_or(std::uint64_t{1} << (peer % 64), std::memory_order_relaxed);
      return;
    }
    next.is_there.store(0, std::memory_order_release);
    ++from.taken;
  }
}

/// What a peer has written is not to lead this process astray.
bool HostMemory::is_sound(const SharedMessage& message) const {
  using Kind = SharedMessage::Kind;
  const auto peers = static_cast<std::uint32_t>(peers_.size());
  const bool has_ticket = message.ticket < limits_.tickets;
  const bool has_slot = message.slot < SharedSegment::slots(limits_, peers) && message.bytes <= limits_.slot_bytes;
  if (!has_ticket && message.ticket != SharedMessage::none) return false;
  switch (message.kind) {
    case Kind::within:
      return message.bytes <= SharedMessage::most_within;
    case Kind::slot:
      return has_slot;
    case Kind::lying:
      return has_ticket && reads_;
    case Kind::asked:
      return has_ticket;
    case Kind::piece:
      return has_slot && has_ticket;
  }
  return false;
}

/// False where there is no memory for it.
bool HostMemory::take(std::uint32_t peer, const SharedMessage& message) {
  using Kind = SharedMessage::Kind;
  if (message.kind == Kind::piece) {
    take_piece(peer, message);
    return true;
  }
  const SharedSegment& theirs = peers_[peer].segment;
  const bool is_in_slot = message.kind == Kind::slot;
  const auto free_slot = [&] {
    if (is_in_slot && message.has_other_readers != 0) {
      theirs.readers(message.slot).fetch_sub(1, std::memory_order_release);
    }
  };
  const MemoryCallKey key{.communicator = message.communicator, .turn = message.turn, .claim = message.claim};
  EarlyMessage head{.peer = peer,
                    .stream = message.stream,
                    .is_long = message.kind == Kind::lying || message.kind == Kind::asked,
                    .by_pieces = message.kind == Kind::asked,
                    .bytes = message.bytes,
                    .ticket = message.ticket,
                    .place = message.place,
                    .call = key,
                    .data = nullptr};
  const std::byte* const data = is_in_slot ? theirs.slot(message.slot) : message.data.data();
  const auto call = std::ranges::find_if(calls_, [&](const MemoryCall& one) { return one.key.is_same_call(key); });
  if (call != calls_.end() && call->key.claim != key.claim) {
    call->has_other_claims = true;
    settle(peer, message.ticket);
    free_slot();
    return true;
  }
  try {
    MemoryLane* const lane = call == calls_.end() ? nullptr : &call->lane(peer, message.stream);
    if (lane != nullptr && !lane->posted.empty()) {
      MemoryOperation& one = *lane->posted.first();
      lane->posted.pop();
      deliver(one, head, data);
    } else {
      if (!head.is_long) {
        head.data = std::make_unique_for_overwrite<std::byte[]>(message.bytes);
        if (message.bytes > 0) std::memcpy(head.data.get(), data, message.bytes);
      }
      (lane == nullptr ? early_ : lane->early).push_back(std::move(head));
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  free_slot();
  return true;
}

/// A message for a receive; `data` of one that does not lie.
void HostMemory::deliver(MemoryOperation& one, const EarlyMessage& head, const std::byte* data) {
  using State = MemoryOperation::State;
  one.peer = head.peer;  // which may be anybody's
  one.bytes = head.bytes;
  if (head.bytes > static_cast<std::uint32_t>(one.chunk.bytes)) {
    one.code = MPI_ERR_TRUNCATE;
  } else if (!head.is_long) {
    one.code = unpack_row(data, head.bytes, one.chunk, alone_);
  } else {
    one.ticket = head.ticket;
    one.place = head.place;
    if (!head.by_pieces) {
      one.state = State::lying;
      return;
    }
    try {
      if (one.chunk.type != MPI_BYTE) one.row = std::make_shared_for_overwrite<std::byte[]>(head.bytes);
      by_pieces_.push_back(&one);
    } catch (const std::bad_alloc&) {
      one.code = MPI_ERR_NO_MEM;
    }
    if (one.code == MPI_SUCCESS) {
      Ticket now = Ticket::posted;
      if (peers_[one.peer].segment.ticket(one.ticket).compare_exchange_strong(now, Ticket::asked)) {
        one.state = State::by_pieces;
        wake(peers_[one.peer].segment);
        return;
      }
      std::erase(by_pieces_, &one);
      settle(one.peer, one.ticket);
      one.state = State::abandoned;
      return;
    }
  }
  settle(head.peer, head.ticket);
  one.state = State::over;
}

/// One that nobody waits for is of a receive that was let go.
void HostMemory::take_piece(std::uint32_t peer, const SharedMessage& message) {
  const SharedSegment& theirs = peers_[peer].segment;
  const auto found = std::ranges::find_if(
      by_pieces_, [&](const MemoryOperation* one) { return one->peer == peer && one->ticket == message.ticket; });
  if (found != by_pieces_.end()) {
    MemoryOperation& one = **found;
    if (message.place + message.bytes <= one.bytes) {
      std::byte* const into = one.row ? one.row.get() : one.chunk.at;
      std::memcpy(into + message.place, theirs.slot(message.slot), message.bytes);
      one.moved += message.bytes;
    }
    if (one.moved >= one.bytes) {
      by_pieces_.erase(found);
      if (one.row) one.code = unpack_row(one.row.get(), one.bytes, one.chunk, alone_);
      settle(peer, one.ticket);
      one.state = MemoryOperation::State::over;
    }
  }
}

/// The sender need not wait any longer.
void HostMemory::settle(std::uint32_t peer, std::uint32_t ticket) noexcept {
  if (ticket == SharedMessage::none) return;
  peers_[peer].segment.ticket(ticket).store(Ticket::over);
  wake(peers_[peer].segment);
}

void HostMemory::read(MemoryOperation& one) const {
  const Peer& from = peers_[one.peer];
  Ticket now = Ticket::posted;
  if (!from.segment.ticket(one.ticket).compare_exchange_strong(now, Ticket::reading)) {
    one.state = MemoryOperation::State::abandoned;
    return;
  }
  try {
    if (one.chunk.type != MPI_BYTE) one.row = std::make_shared_for_overwrite<std::byte[]>(one.bytes);
  } catch (const std::bad_alloc&) {
    one.code = MPI_ERR_NO_MEM;
    return;
  }
  std::byte* const into = one.row ? one.row.get() : one.chunk.at;
  while (one.moved < one.bytes) {
    const std::size_t left = one.bytes - one.moved;
    const iovec here{.iov_base = into + one.moved, .iov_len = left};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
    const iovec there{.iov_base = reinterpret_cast<void*>(one.place + one.moved), .iov_len = left};
    const ssize_t got = process_vm_readv(static_cast<pid_t>(from.process), &here, 1, &there, 1, 0);
    if (got <= 0) {
      if (got < 0 && errno == ESRCH) {
        one.code = MPI_ERR_OTHER;  // the sender is gone
      } else {
        one.state = MemoryOperation::State::refused;
      }
      return;
    }
    one.moved += static_cast<std::uint32_t>(got);
  }
  if (one.row) one.code = unpack_row(one.row.get(), one.bytes, one.chunk, alone_);
}

/// What the kernel does not let this process read, its sender hands over: a program may have changed its rights since
/// MPI_Init, and some memory nobody else may read at all.
void HostMemory::ask_instead(MemoryOperation& one) {
  by_pieces_.push_back(&one);
  one.moved = 0;
  one.state = MemoryOperation::State::by_pieces;
  peers_[one.peer].segment.ticket(one.ticket).store(Ticket::asked);
  wake(peers_[one.peer].segment);
}

void HostMemory::finish_reading(MemoryOperation& one) {
  if (one.state == MemoryOperation::State::refused) {
    try {
      return ask_instead(one);
    } catch (const std::bad_alloc&) {
      one.code = MPI_ERR_NO_MEM;
    }
  }
  settle(one.peer, one.ticket);
  if (one.state != MemoryOperation::State::abandoned) one.state = MemoryOperation::State::over;
}

}  // namespace trunkline::runtime
