// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/prefix_blocks.hpp"

#include <algorithm>

namespace trunkline::runtime {

PrefixBlocks::PrefixBlocks(const Operands& operands, const BlockSchedule& schedule, bool excludes_own)
    : operands_(operands), excludes_own_(excludes_own), begun_(*schedule.fixed_blocks(), 0) {
  for (std::uint64_t round = schedule.rounds(begun_.size()); round > 0 && sends_until_ == 0; --round) {
    if (schedule.send(round - 1, begun_.size())) sends_until_ = round;
  }
  if (excludes_own_ && operands.has_result() && sends_until_ > 0)
    sums_ = Operands::Slots(operands, 1, operands.count());
}

void PrefixBlocks::make_room(std::uint64_t receives, std::uint64_t /*sends*/, std::uint64_t units) {
  slot_count_ = receives;
  slots_ = Operands::Slots(operands_, receives, units);
}

Chunk PrefixBlocks::outgoing(const BlockPiece& piece, std::uint64_t /*number*/) {
  return begun_[piece.block] < piece.end ? own(piece) : sum(piece);
}

void PrefixBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  const Chunk lower = slot(piece, number);
  const bool is_first = begun_[piece.block] < piece.end;
  const bool is_needed = !excludes_own_ || piece.round + 1 < sends_until_;
  begun_[piece.block] = std::max(begun_[piece.block], piece.end);
  if (is_needed) {
    if (is_first && (excludes_own_ || !operands_.in_place())) operands_.copy(own(piece), sum(piece));
    operands_.combine(lower, sum(piece));
  }
  if (!excludes_own_) return;
  if (is_first) {
    operands_.copy(lower, result(piece));
  } else {
    operands_.combine(lower, result(piece));
  }
}

void PrefixBlocks::settle() {
  const bool has_received = std::ranges::any_of(begun_, [](std::uint64_t end) { return end > 0; });
  if (has_received || excludes_own_ || operands_.in_place()) return;
  operands_.copy_own([&](std::uint64_t first, std::uint64_t elements) { return operands_.result(first, elements); });
}

void PrefixBlocks::give_up(bool received, bool sent) noexcept {
  if (received) slots_.give_up();
  if (sent) sums_.give_up();
}

}  // namespace trunkline::runtime
