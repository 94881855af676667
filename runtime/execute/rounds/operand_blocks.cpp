// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/operand_blocks.hpp"

namespace trunkline::runtime {
namespace {

constexpr std::uint64_t from_the_start = no_round - 1;

}  // namespace

OperandBlocks::OperandBlocks(const Operands& operands, const BlockSchedule& schedule, Rank own)
    : operands_(operands),
      own_(own),
      sums_once_(schedule.sums_once()),
      first_touch_(*schedule.fixed_blocks(), operands.in_place() || !sums_once_ ? from_the_start : no_round) {
  if (!operands.has_result()) whole_ = Operands::Slots(operands, 1, operands.count());
  if (!sums_once_ && !operands.in_place())
    operands.copy_own([&](std::uint64_t first, std::uint64_t elements) { return result(first, elements); });
}

Chunk OperandBlocks::result(std::uint64_t first, std::uint64_t elements) const {
  return operands_.has_result() ? operands_.result(first, elements) : whole_.part(operands_, first, elements);
}

void OperandBlocks::make_room(std::uint64_t receives, std::uint64_t /*sends*/, std::uint64_t units) {
  slot_count_ = receives;
  slots_ = Operands::Slots(operands_, receives, units);
}

Chunk OperandBlocks::slot(const BlockPiece& piece, std::uint64_t number) const {
  return slots_.chunk(operands_, number % slot_count_, piece.units());
}

/// Into the result's place where nothing lies there that is still needed.
Chunk OperandBlocks::incoming(const BlockPiece& piece, std::uint64_t number) {
  const std::uint64_t end = piece.end;
  for (std::uint64_t block = piece.block; block < first_touch_.size() && offset(block) < end; ++block) {
    if (first_touch_[block] == no_round) first_touch_[block] = piece.round;
  }
  const bool lies_apart = piece.replaces || (piece.reduces && !is_first(piece));
  return lies_apart ? slot(piece, number) : result(piece);
}

Chunk OperandBlocks::outgoing(const BlockPiece& piece, std::uint64_t /*number*/) {
  const std::uint64_t touched = first_touch_[piece.block];
  const bool is_own = touched == no_round || (touched != from_the_start && touched >= piece.round);
  return is_own ? operands_.own(piece.begin, piece.units()) : result(piece);
}

/// Where several ranks add up the same operands, the lower position's stands first on all of them: operations may
/// commute and still give other bits, as the least of 0 and -0 does.
void OperandBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  if (piece.replaces) operands_.copy(slot(piece, number), result(piece));
  if (!piece.reduces) return;
  const Chunk sum = result(piece);
  if (is_first(piece)) {
    operands_.combine(operands_.own(piece.begin, piece.units()), sum);
  } else if (sums_once_ || piece.position < own_) {
    operands_.combine(slot(piece, number), sum);
  } else {
    const Chunk other = slot(piece, number);
    operands_.combine(sum, other);
    operands_.copy(other, sum);
  }
}

void OperandBlocks::give_up(bool received, bool sent) noexcept {
  if (received) slots_.give_up();
  if (received || sent) whole_.give_up();
}

}  // namespace trunkline::runtime
