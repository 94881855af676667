// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/summed_blocks.hpp"

#include <algorithm>

namespace trunkline::runtime {

SummedBlocks::SummedBlocks(const Operands& operands, std::span<const MPI_Count> counts, std::span<const Rank> members,
                           Rank own)
    : operands_(operands),
      members_(members),
      own_(own),
      starts_{0},
      offsets_{0},
      first_touch_(members.size(), no_round) {
  for (const MPI_Count count : counts) starts_.push_back(starts_.back() + static_cast<std::uint64_t>(count));
  for (const Rank rank : members) offsets_.push_back(offsets_.back() + static_cast<std::uint64_t>(counts[rank]));
}

void SummedBlocks::make_room(std::uint64_t receives, std::uint64_t /*sends*/, std::uint64_t units) {
  slot_count_ = receives;
  slots_ = Operands::Slots(operands_, receives, units);
  sums_ = Operands::Slots(operands_, 1, std::max(offsets_.back(), std::uint64_t{1}));
}

template <class Use>
void SummedBlocks::each_block(const BlockPiece& piece, const Use& use) const {
  std::uint64_t block = piece.block;
  for (std::uint64_t begin = piece.begin; begin < piece.end; ++block) {
    const std::uint64_t end = std::min(piece.end, offsets_[block + 1]);
    if (begin >= end) continue;
    use(block, begin, end);
    begin = end;
  }
}

Chunk SummedBlocks::operand(std::uint64_t block, std::uint64_t begin, std::uint64_t end) const {
  return operands_.own(starts_[members_[block]] + (begin - offsets_[block]), end - begin);
}

/// Into the sum's place where nothing lies there yet: of a transfer's blocks all have been touched before, or none.
Chunk SummedBlocks::incoming(const BlockPiece& piece, std::uint64_t number) {
  each_block(piece, [&](std::uint64_t block, std::uint64_t /*begin*/, std::uint64_t /*end*/) {
    if (first_touch_[block] == no_round) first_touch_[block] = piece.round;
  });
  return is_first(piece) ? sum(piece.begin, piece.end) : slots_.chunk(operands_, number % slot_count_, piece.units());
}

/// What nobody has sent this rank anything of is its own operand.
Chunk SummedBlocks::outgoing(const BlockPiece& piece, std::uint64_t /*number*/) {
  const bool is_one = piece.end <= offsets_[piece.block + 1];
  if (is_one && first_touch_[piece.block] == no_round) return operand(piece.block, piece.begin, piece.end);
  each_block(piece, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
    if (first_touch_[block] == no_round) operands_.copy(operand(block, begin, end), sum(begin, end));
  });
  return sum(piece.begin, piece.end);
}

void SummedBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  if (is_first(piece)) {
    each_block(piece, [&](std::uint64_t block, std::uint64_t begin, std::uint64_t end) {
      operands_.combine(operand(block, begin, end), sum(begin, end));
    });
    return;
  }
  operands_.combine(slots_.chunk(operands_, number % slot_count_, piece.units()), sum(piece.begin, piece.end));
}

void SummedBlocks::give_up(bool received, bool sent) noexcept {
  if (received) slots_.give_up();
  if (received || sent) sums_.give_up();
}

/// Where the operand lies in the result's place, that can be overwritten only now.
void SummedBlocks::settle() {
  const std::uint64_t begin = offsets_[own_];
  const std::uint64_t elements = offsets_[own_ + 1] - begin;
  constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
  const std::uint64_t most = std::max(chunk_bytes / operands_.element_bytes(), std::uint64_t{1});
  for (std::uint64_t first = 0; first < elements; first += most) {
    const std::uint64_t now = std::min(most, elements - first);
    operands_.copy(sum(begin + first, begin + first + now), operands_.result(first, now));
  }
}

}  // namespace trunkline::runtime
