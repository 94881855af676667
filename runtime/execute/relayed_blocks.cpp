// SPDX-License-Identifier: Apache-2.0
#include "execute/relayed_blocks.hpp"

#include <algorithm>

namespace trunkline::runtime {
namespace {

std::uint64_t first_sent_by(const BlockSchedule& schedule, std::uint64_t blocks) {
  for (std::uint64_t round = 0; round < schedule.rounds(blocks); ++round) {
    if (const auto send = schedule.send(round, blocks)) return send->first;
  }
  return 0;
}

constexpr std::uint64_t pieces(std::uint64_t units, std::uint64_t longest) { return (units + longest - 1) / longest; }

}  // namespace

RelayedBlocks::RelayedBlocks(const Operands& operands, std::span<const MPI_Count> counts, std::span<const Rank> members,
                             const BlockSchedule& schedule, Rank own)
    : operands_(operands),
      members_(members),
      own_(own),
      first_sent_(first_sent_by(schedule, members.size())),
      starts_{0},
      offsets_{0} {
  for (const MPI_Count count : counts) starts_.push_back(starts_.back() + static_cast<std::uint64_t>(count));
  for (const Rank rank : members) offsets_.push_back(offsets_.back() + static_cast<std::uint64_t>(counts[rank]));
}

/// Of the pieces that it handed on, one in its slot may still be under way.
std::optional<std::uint64_t> RelayedBlocks::send_before(const BlockPiece& piece, std::uint64_t receive) const {
  if (stays(piece) || receive < slot_count_) return {};
  return receive - slot_count_ + pieces_before_;
}

void RelayedBlocks::make_room(std::uint64_t receives, std::uint64_t /*sends*/, std::uint64_t units) {
  longest_ = units;
  pieces_before_ = pieces(offsets_[first_sent_ + 1] - offsets_[first_sent_], units);
  // A receive is started at most a window ahead, so what it takes the place of can always be sent before.
  slot_count_ = pieces_before_ + receives;
  slots_ = Operands::Slots(operands_, slot_count_, units);
  const std::uint64_t staying = pieces(offsets_[own_ + 1] - offsets_[own_], units);
  if (operands_.in_place() && staying > 0) last_ = Operands::Slots(operands_, staying, units);
}

Chunk RelayedBlocks::operand(const BlockPiece& piece) const {
  return operands_.own(starts_[members_[piece.block]] + within(piece), piece.units());
}

Chunk RelayedBlocks::last(const BlockPiece& piece) const {
  return operands_.in_place() ? last_.chunk(operands_, within(piece) / longest_, piece.units())
                              : operands_.result(within(piece), piece.units());
}

Chunk RelayedBlocks::incoming(const BlockPiece& piece, std::uint64_t number) {
  return stays(piece) ? last(piece) : slots_.chunk(operands_, number % slot_count_, piece.units());
}

Chunk RelayedBlocks::outgoing(const BlockPiece& piece, std::uint64_t number) {
  if (number < pieces_before_) return operand(piece);
  return slots_.chunk(operands_, (number - pieces_before_) % slot_count_, piece.units());
}

void RelayedBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  operands_.combine(operand(piece), incoming(piece, number));
}

void RelayedBlocks::give_up(bool received, bool sent) noexcept {
  if (!received && !sent) return;
  slots_.give_up();
  last_.give_up();
}

void RelayedBlocks::settle() const {
  if (!operands_.in_place()) return;
  const std::uint64_t staying = offsets_[own_ + 1] - offsets_[own_];
  for (std::uint64_t first = 0; first < staying; first += longest_) {
    const std::uint64_t elements = std::min(longest_, staying - first);
    operands_.copy(last_.chunk(operands_, first / longest_, elements), operands_.result(first, elements));
  }
}

}  // namespace trunkline::runtime
