// SPDX-License-Identifier: Apache-2.0
// How ranks of a host leave partial results for each other. A shelf is one word, which whoever comes changes in one
// step: it is empty, or has one partial result, in a slot of the rank that left it. Who takes that combines it with its
// own, looks again, and leaves the two together where nobody else has come. So nobody holds a lock, and a rank that is
// killed keeps nobody but those that need its operand.
//
// One word does for all calls of a communicator, one after another: where all of a group have combined it is empty, and
// a rank that has the result knows that they have. What is there from an earlier call is of one that failed.
#include <cstring>

#include "transport/memory/host_memory.hpp"

namespace trunkline::runtime {

bool HostMemory::has_shelf(std::uint32_t communicator) const noexcept {
  if (is_alone()) return false;  // then there is no memory
  const auto peers = static_cast<std::uint32_t>(peers_.size());
  return communicator < limits_.shelves && peers <= 1U << ShelfWord::peer_bits &&
         SharedSegment::slots(limits_, peers) <= 1U << ShelfWord::slot_bits;
}

bool HostMemory::is_sound(const ShelfWord& word) const {
  const auto peers = static_cast<std::uint32_t>(peers_.size());
  return word.peer < peers && word.slot < SharedSegment::slots(limits_, peers);
}

std::optional<HostMemory::Partial> HostMemory::take_partial(MemoryCall& call, std::uint32_t keeper) {
  const MemoryCallKey& key = call.key;
  std::atomic<std::uint64_t>& shelf = peers_[keeper].segment.shelf(key.communicator);
  std::uint64_t now = shelf.load(std::memory_order_acquire);
  while (now != ShelfWord::nothing) {
    const ShelfWord there = ShelfWord::of(now);
    if (!is_sound(there)) return {};
    const std::int64_t ahead = -there.calls_to(key.turn);
    if (ahead > 0) return {};  // this call has failed for others, which go on
    if (ahead == 0 && !there.has_claim(key.claim)) {
      call.has_other_claims = true;
      return {};
    }
    if (!shelf.compare_exchange_weak(now, ShelfWord::nothing, std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    const SharedSegment& theirs = peers_[there.peer].segment;
    const SharedPartial& partial = theirs.partial(there.slot);
    const Partial found{.peer = there.peer,
                        .slot = there.slot,
                        .at = theirs.slot(there.slot),
                        .bytes = partial.bytes,
                        .ranks = partial.ranks};
    const bool is_of_call = partial.communicator == key.communicator && partial.turn == key.turn &&
                            partial.claim == key.claim && partial.bytes <= limits_.slot_bytes;
    if (is_of_call) return found;
    // A call that has failed left it, or one whose claim is the same as far as a word tells.
    if (partial.communicator == key.communicator && partial.turn == key.turn) call.has_other_claims = true;
    put_back(found);
    now = shelf.load(std::memory_order_acquire);
  }
  return {};
}

bool HostMemory::sees_other_claims(const MemoryCall& call, std::uint32_t keeper) const {
  const MemoryCallKey& key = call.key;
  if (!has_shelf(key.communicator)) return false;
  const std::atomic<std::uint64_t>& shelf = peers_[keeper].segment.shelf(key.communicator);
  const std::uint64_t now = shelf.load(std::memory_order_acquire);
  const ShelfWord there = ShelfWord::of(now);
  if (now == ShelfWord::nothing || !is_sound(there) || there.calls_to(key.turn) != 0) return false;
  if (!there.has_claim(key.claim)) return true;
  // A word that stays tells of one partial result: it was there all the while.
  const std::uint64_t claim = peers_[there.peer].segment.partial(there.slot).claim.load(std::memory_order_acquire);
  return claim != key.claim && shelf.load(std::memory_order_relaxed) == now;
}

void HostMemory::put_back(const Partial& partial) noexcept {
  peers_[partial.peer].segment.readers(partial.slot).fetch_sub(1, std::memory_order_release);
}

Shelf::Left HostMemory::leave_partial(const MemoryCall& call, std::uint32_t keeper, const std::byte* at,
                                      std::uint32_t bytes, std::uint32_t ranks, LeftPartial& left) {
  const MemoryCallKey& key = call.key;
  std::atomic<std::uint64_t>& shelf = peers_[keeper].segment.shelf(key.communicator);
  std::uint64_t now = shelf.load(std::memory_order_relaxed);
  if (now == ShelfWord::nothing) {
    // Of the slots that are for one peer, those for this rank itself serve nobody else.
    const std::uint32_t slot = take_slot(own_);
    if (slot == SharedMessage::none) return Shelf::Left::not_now;
    const SharedSegment& own = peers_[own_].segment;
    SharedPartial& partial = own.partial(slot);
    if (bytes > 0) copies_.copy(own.slot(slot), at, bytes);
    partial.communicator = key.communicator;
    partial.turn = key.turn;
    partial.claim = key.claim;
    partial.bytes = bytes;
    partial.ranks = ranks;
    partial.readers.store(1, std::memory_order_relaxed);
    const ShelfWord word{.turn = key.turn, .claim = key.claim, .slot = slot, .peer = own_};
    if (shelf.compare_exchange_strong(now, word.word(), std::memory_order_acq_rel, std::memory_order_acquire)) {
      left = {.keeper = keeper, .word = word.word()};
      return Shelf::Left::here;
    }
    partial.readers.store(0, std::memory_order_relaxed);
  }
  const ShelfWord there = ShelfWord::of(now);
  const std::int64_t ahead = -there.calls_to(key.turn);
  const bool may_be_taken = ahead < 0 || (ahead == 0 && there.has_claim(key.claim));
  return may_be_taken ? Shelf::Left::more_to_take : Shelf::Left::not_now;
}

void HostMemory::take_back(std::uint32_t communicator, const LeftPartial& left) noexcept {
  std::uint64_t word = left.word;
  if (word == ShelfWord::nothing) return;
  std::atomic<std::uint64_t>& shelf = peers_[left.keeper].segment.shelf(communicator);
  if (!shelf.compare_exchange_strong(word, ShelfWord::nothing, std::memory_order_acq_rel)) return;
  put_back({.peer = own_, .slot = ShelfWord::of(left.word).slot});
}

void HostMemory::clear_shelf(std::uint32_t communicator) noexcept {
  if (!has_shelf(communicator)) return;
  const std::uint64_t was = peers_[own_].segment.shelf(communicator).exchange(ShelfWord::nothing);
  const ShelfWord there = ShelfWord::of(was);
  if (was != ShelfWord::nothing && is_sound(there)) put_back({.peer = there.peer, .slot = there.slot});
}

}  // namespace trunkline::runtime
