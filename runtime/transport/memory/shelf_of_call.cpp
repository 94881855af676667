// SPDX-License-Identifier: Apache-2.0
// What a call's executor sees of the shelves of its host.
#include <algorithm>
#include <memory>

#include "transport/memory/memory_transport.hpp"
#include "transport/memory/packing.hpp"

namespace trunkline::runtime {

std::optional<Shelf::Partial> MemoryTransport::take(int keeper, const Chunk& room) {
  taken_ = memory_.take_partial(call_, keeper_of(keeper));
  if (!taken_) return {};
  const unsigned ranks = taken_->ranks;
  if (static_cast<int>(taken_->bytes) != room.bytes) throw MpiError{MPI_ERR_TRUNCATE};
  if (room.type == MPI_BYTE) {
    Chunk data = room;
    data.at = const_cast<std::byte*>(taken_->at);  // NOLINT(cppcoreguidelines-pro-type-const-cast): combined from
    return Partial{.data = data, .ranks = ranks};
  }
  check(unpack_chunk(taken_->at, room.bytes, room, ours_.alone()));
  return Partial{.data = room, .ranks = ranks};
}

void MemoryTransport::done() noexcept {
  if (taken_) memory_.put_back(*taken_);
  taken_.reset();
}

Shelf::Left MemoryTransport::leave(const Chunk& partial, unsigned ranks, int keeper) {
  const Row row = row_of(partial);
  if (row.bytes > most_bytes()) throw MpiError{MPI_ERR_INTERN};
  const auto guard = memory_.guard();
  return memory_.leave_partial(call_, keeper_of(keeper), row.at, row.bytes, ranks, left_);
}

void MemoryTransport::hand_over(const Chunk& sum, int to, Pending& pending) {
  send(sum, to, handed_over, false, pending);
}

void MemoryTransport::await(const Chunk& sum, Pending& pending) {
  const auto guard = memory_.guard();
  MemoryOperation& one = memory_.operation();
  one.peer = anybody;
  one.stream = handed_over;
  one.chunk = sum;
  memory_.receive(one, call_);
  keep(one, pending);
}

/// A rank that runs this call as the plan says hears nothing of one that has left a partial result and awaits the rest.
bool MemoryTransport::are_known(std::span<const int> members) {
  if (call_.has_other_claims.load(std::memory_order_relaxed)) return true;
  // For ranks of other hosts this one's own shelf is looked at once more.
  return std::ranges::any_of(members, [&](int rank) { return memory_.sees_other_claims(call_, keeper_of(rank)); });
}

}  // namespace trunkline::runtime
