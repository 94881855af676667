// SPDX-License-Identifier: Apache-2.0
// Blocks that ranks send each other in rounds, as runtime/execute/rounds/block_exchange does.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "kinds/rounds/rounds.hpp"
#include "patterns/block_schedule.hpp"
#include "replay/ground.hpp"
#include "replay/replay.hpp"
#include "replay/resources.hpp"

namespace trunkline {

/// Ranks take in the pieces of all rounds in order, and send those of all rounds in order, each as soon as they have
/// it: no rank waits for the end of a round.
class RoundReplay {
 public:
  /// `rounds` must outlive the object.
  RoundReplay(const ReplayGround& ground, const Rounds& rounds, const CollectiveFacts& facts);

  /// Nothing where that takes more events.
  [[nodiscard]] std::optional<Replayed> run(std::uint64_t most_events);

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
    std::vector<std::uint64_t> words{};  ///< that have come, by round
    struct Word {
      BlockTransfer transfer{};
      std::uint64_t round = 0;
    };
    std::vector<Word> words_to_send{};  ///< the last one first, so far as they have not been sent
    std::uint64_t sent = 0;
    std::vector<bool> under_way{};  ///< by send, of the window
    std::vector<Rank> early{};      ///< senders of pieces that are not yet due
  };
  using Side = std::optional<BlockTransfer> (BlockSchedule::*)(std::uint64_t, std::uint64_t) const;

  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const;
  void move_on(const Part& part, Piece& piece, Side side) const;
  void take(Rank position, Rank from);
  [[nodiscard]] static bool has(const Part& part);
  void advance(Rank position);
  [[nodiscard]] std::uint64_t pieces_that_repeat() const;

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

}  // namespace trunkline
