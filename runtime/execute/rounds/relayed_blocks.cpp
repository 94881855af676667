// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/relayed_blocks.hpp"

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

/// Of the pieces that have come by the end of a round, most that are not to be sent by then; 0 where sums go round a
/// ring, which never needs more than what ranks have sent before any came: so much of it is always on its way.
std::uint64_t most_waiting(const BlockSchedule& schedule, std::span<const std::uint64_t> offsets, Rank own,
                           std::uint64_t longest) {
  if (schedule.is_ring()) return 0;
  const std::uint64_t blocks = offsets.size() - 1;
  const auto pieces_of = [&](const BlockTransfer& one) {
    return pieces(offsets[one.first + 1] - offsets[one.first], longest);
  };
  std::uint64_t come = 0;
  std::uint64_t sent = 0;
  std::uint64_t most = 0;
  bool is_first = true;
  for (std::uint64_t round = 0; round < schedule.rounds(blocks); ++round) {
    const auto send = schedule.send(round, blocks);
    if (send && !is_first) sent += pieces_of(*send);
    if (send) is_first = false;
    const auto receive = schedule.receive(round, blocks);
    if (receive && receive->first != own) come += pieces_of(*receive);
    most = std::max(most, come - sent);
  }
  return most;
}

}  // namespace

RelayedBlocks::RelayedBlocks(const Operands& operands, std::span<const MPI_Count> counts, std::span<const Rank> members,
                             const BlockSchedule& schedule, Rank own)
    : operands_(operands),
      members_(members),
      schedule_(schedule),
      own_(own),
      first_sent_(first_sent_by(schedule, members.size())),
      starts_{0},
      offsets_{0} {
  for (const MPI_Count count : counts) starts_.push_back(starts_.back() + static_cast<std::uint64_t>(count));
  for (const Rank rank : members) offsets_.push_back(offsets_.back() + static_cast<std::uint64_t>(counts[rank]));
}

/// Of the pieces that it handed on, one in its slot may still be under way.
std::optional<std::uint64_t> RelayedBlocks::send_before(const BlockPiece& piece, std::uint64_t receive) const {
  if (stays(piece) || handed_on(receive) < slot_count_) return {};
  return handed_on(receive) - slot_count_ + pieces_before_;
}

/// This rank's own block comes in one row.
std::uint64_t RelayedBlocks::handed_on(std::uint64_t receive) const {
  return receive > first_staying_ ? receive - staying_ : receive;
}

void RelayedBlocks::make_room(std::uint64_t receives, std::uint64_t /*sends*/, std::uint64_t units) {
  longest_ = units;
  pieces_before_ = pieces(offsets_[first_sent_ + 1] - offsets_[first_sent_], units);
  // Where a receive takes the place of a send, that is of no later round: nobody waits for each other in a circle.
  slot_count_ = std::max(pieces_before_, most_waiting(schedule_, offsets_, own_, units)) + receives;
  slots_ = Operands::Slots(operands_, slot_count_, units);
  staying_ = pieces(offsets_[own_ + 1] - offsets_[own_], units);
  if (operands_.in_place() && staying_ > 0) last_ = Operands::Slots(operands_, staying_, units);
}

Chunk RelayedBlocks::operand(const BlockPiece& piece) const {
  return operands_.own(starts_[members_[piece.block]] + within(piece), piece.units());
}

Chunk RelayedBlocks::last(const BlockPiece& piece) const {
  return operands_.in_place() ? last_.chunk(operands_, within(piece) / longest_, piece.units())
                              : operands_.result(within(piece), piece.units());
}

Chunk RelayedBlocks::incoming(const BlockPiece& piece, std::uint64_t number) {
  if (!stays(piece)) return slots_.chunk(operands_, handed_on(number) % slot_count_, piece.units());
  first_staying_ = std::min(first_staying_, number);
  return last(piece);
}

Chunk RelayedBlocks::outgoing(const BlockPiece& piece, std::uint64_t number) {
  if (number < pieces_before_) return operand(piece);
  return slots_.chunk(operands_, (number - pieces_before_) % slot_count_, piece.units());
}

void RelayedBlocks::arrived(const BlockPiece& piece, std::uint64_t number) {
  if (piece.reduces) operands_.combine(operand(piece), incoming(piece, number));
}

void RelayedBlocks::give_up(bool received, bool sent) noexcept {
  if (!received && !sent) return;
  slots_.give_up();
  last_.give_up();
}

void RelayedBlocks::settle() {
  if (!operands_.in_place()) return;
  const std::uint64_t staying = offsets_[own_ + 1] - offsets_[own_];
  for (std::uint64_t first = 0; first < staying; first += longest_) {
    const std::uint64_t elements = std::min(longest_, staying - first);
    operands_.copy(last_.chunk(operands_, first / longest_, elements), operands_.result(first, elements));
  }
}

}  // namespace trunkline::runtime
