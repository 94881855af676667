// SPDX-License-Identifier: Apache-2.0
// Blocks that ranks send each other in rounds, as runtime/execute/rounds/block_exchange does.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "collective/collective.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/transfer/wire.hpp"
#include "patterns/block_schedule.hpp"
#include "replay/ground.hpp"
#include "replay/replay.hpp"
#include "replay/resources.hpp"

namespace trunkline {
namespace {

/// Ranks take in the pieces of all rounds in order, and send those of all rounds in order, each as soon as they have
/// it: no rank waits for the end of a round.
class RoundsReplay {
 public:
  /// `rounds` must outlive the object.
  RoundsReplay(const ReplayGround& ground, const Rounds& rounds, const CollectiveFacts& facts)
      : resources_(ground.paths, ground.placement, ground.hosts),
        rounds_(rounds),
        message_bytes_(ground.message_bytes),
        segment_bytes_(ground.segment_bytes),
        position_(rounds.order.size()) {
    const std::uint64_t segments = pieces_of(message_bytes_, segment_bytes_);
    for (Rank position = 0; position < rounds.order.size(); ++position) {
      position_[rounds.order[position]] = position;
      Part& part = parts_.emplace_back(Part{.schedule = rounds.schedule_of(position)});
      if (position == 0) {
        any_blocks_ = !part.schedule->fixed_blocks();
        blocks_ = part.schedule->fixed_blocks().value_or(segments);
        message_blocks_ = facts.blocks_of_message(blocks_);
      }
      const std::uint64_t pieces = std::max(2 * (blocks_ + segments), part.schedule->rounds(blocks_) * (1 + segments));
      part.under_way.assign(std::min(window_of(segment_bytes_, ground.in_flight.bytes), pieces), false);
      move_on(part, part.to_receive, &BlockSchedule::receive);
      move_on(part, part.to_send, &BlockSchedule::send);
    }
  }

  /// Nothing where that takes more events.
  [[nodiscard]] std::optional<Replayed> run(std::uint64_t most_events) {
    for (Rank position = 0; position < parts_.size(); ++position) advance(position);
    const std::uint64_t all = pieces_that_repeat();
    const std::uint64_t stride = 4 * parts_.size();
    Steady steady(stride);
    double end_s = 0.0;
    std::uint64_t taken = 0;
    ReplayedMessage message;
    while (resources_.next(message)) {
      if (resources_.events() > most_events) return {};
      end_s = resources_.now();
      const std::optional<double> each_s = steady.at(++taken, end_s);
      if (each_s && taken + stride < all) {
        return Replayed{end_s + *each_s * static_cast<double>(all - taken), resources_.events()};
      }
      const Rank from = position_[message.from];
      const Rank to = position_[message.to];
      parts_[from].under_way[message.part] = false;
      take(to, from);
      advance(to);
      advance(from);
    }
    for (const Part& part : parts_) {
      if (part.to_send.is_there || part.to_receive.is_there) throw std::logic_error("ranks wait for each other");
    }
    return Replayed{end_s, resources_.events()};
  }

 private:
  struct Piece {
    std::uint64_t next_round = 0;
    BlockTransfer transfer{};
    std::uint64_t round = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t transfer_end = 0;
    bool is_there = true;  ///< false: there is no further one
  };
  struct Part {
    std::unique_ptr<const BlockSchedule> schedule;
    Piece to_receive{};
    Piece to_send{};
    std::uint64_t sent = 0;
    std::vector<bool> under_way{};  ///< by send, of the window
    std::vector<Rank> early{};      ///< senders of pieces that are not yet due
  };
  using Side = std::optional<BlockTransfer> (BlockSchedule::*)(std::uint64_t, std::uint64_t) const;

  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const {
    return block * (message_bytes_ / message_blocks_) + std::min(block, message_bytes_ % message_blocks_);
  }

  void move_on(const Part& part, Piece& piece, Side side) const {
    if (piece.end < piece.transfer_end) {
      piece.begin = piece.end;
      piece.end = std::min(piece.begin + segment_bytes_, piece.transfer_end);
      return;
    }
    for (const std::uint64_t rounds = part.schedule->rounds(blocks_); piece.next_round < rounds;) {
      piece.round = piece.next_round++;
      const auto transfer = ((*part.schedule).*side)(piece.round, blocks_);
      if (!transfer) continue;
      piece.transfer = *transfer;
      piece.begin = offset(transfer->first);
      piece.transfer_end = piece.begin + transfer->rows * (offset(transfer->first + transfer->count) - piece.begin);
      piece.end = std::min(piece.begin + segment_bytes_, piece.transfer_end);
      if (piece.begin < piece.end) return;
    }
    piece.is_there = false;
  }

  /// Pieces from one rank come in the order in which they are due; from several, they wait.
  void take(Rank position, Rank from) {
    Part& part = parts_[position];
    part.early.push_back(from);
    while (part.to_receive.is_there) {
      const auto due = std::ranges::find(part.early, part.to_receive.transfer.peer);
      if (due == part.early.end()) return;
      part.early.erase(due);
      if (part.to_receive.transfer.reduces) {
        resources_.combine(rounds_.order[position], part.to_receive.end - part.to_receive.begin);
      }
      move_on(part, part.to_receive, &BlockSchedule::receive);
    }
  }

  /// Whether the next piece to send has come.
  [[nodiscard]] static bool has(const Part& part) {
    const Piece& piece = part.to_send;
    const Piece& missing = part.to_receive;
    const std::uint64_t needs = piece.transfer.needs;
    if (needs == no_round || !missing.is_there) return true;
    if (missing.round != needs || piece.transfer.rows > 1 || missing.transfer.rows > 1) return missing.round > needs;
    return piece.begin >= missing.transfer_end || std::min(piece.end, missing.transfer_end) <= missing.begin;
  }

  void advance(Rank position) {
    Part& part = parts_[position];
    while (part.to_send.is_there && has(part)) {
      const std::uint64_t slot = part.sent % part.under_way.size();
      if (part.under_way[slot]) return;
      part.under_way[slot] = true;
      ++part.sent;
      resources_.send({.from = rounds_.order[position],
                       .to = rounds_.order[part.to_send.transfer.peer],
                       .bytes = part.to_send.end - part.to_send.begin,
                       .part = static_cast<std::uint32_t>(slot)});
      move_on(part, part.to_send, &BlockSchedule::send);
    }
  }

  /// Of rounds that are all alike, those of all ranks; else 0.
  [[nodiscard]] std::uint64_t pieces_that_repeat() const {
    constexpr std::uint64_t many_rounds = 8;
    const BlockSchedule& first = *parts_.front().schedule;
    const std::uint64_t rounds = first.rounds(blocks_);
    if (!any_blocks_ && (first.alike(0) < many_rounds || rounds < many_rounds)) return 0;
    return rounds * parts_.size() *
           (any_blocks_ ? 1 : pieces_of(pieces_of(message_bytes_, message_blocks_), segment_bytes_));
  }

  Resources resources_;
  const Rounds& rounds_;
  std::uint64_t message_bytes_;
  std::uint64_t segment_bytes_;
  std::uint64_t blocks_ = 0;
  std::uint64_t message_blocks_ = 0;  ///< of the message; the plan may have more
  bool any_blocks_ = false;
  std::vector<Rank> position_;  ///< by rank
  std::vector<Part> parts_;     ///< by position
};

}  // namespace

std::optional<Replayed> replayed_rounds(const ReplayGround& ground, const Rounds& rounds, const CollectiveFacts& facts,
                                        std::uint64_t most_events) {
  return RoundsReplay(ground, rounds, facts).run(most_events);
}

}  // namespace trunkline
