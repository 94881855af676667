// SPDX-License-Identifier: Apache-2.0
// Collectives by blocks, as a BlockSchedule says. No rank waits for the end of a round: it sends as soon as it has the
// blocks of the next send.
//
// Cost, with n blocks in R rounds: R T(m / n) where no two transfers of a round share a channel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "execute/execution.hpp"
#include "execute/rounds/blocks.hpp"
#include "execute/rounds/local_blocks.hpp"
#include "mpi_api.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline::runtime {

class BlockExchange final : public Execution {
 public:
  /// Everything must outlive the object. The members must agree on the order, the kind of schedule, the blocks' lengths
  /// and the segment. Blocks are as long as a segment where the schedule takes any number of them; else they are sent
  /// in pieces of a segment.
  BlockExchange(Transport& transport, const LocalBlocks& local, Blocks& blocks, std::uint64_t segment_bytes,
                std::uint64_t in_flight_bytes);
  ~BlockExchange() override;
  BlockExchange(const BlockExchange&) = delete;
  BlockExchange& operator=(const BlockExchange&) = delete;

 private:
  /// The pieces of all rounds, one after another.
  class Pieces {
   public:
    using Side = std::optional<BlockTransfer> (BlockSchedule::*)(std::uint64_t, std::uint64_t) const;
    Pieces(const BlockExchange& exchange, Side side) : exchange_(exchange), side_(side) {}

    /// Moves to the first piece, then from one to the next. Returns whether there is one.
    bool next();
    [[nodiscard]] const BlockPiece& operator*() const { return piece_; }

   private:
    void cut();

    const BlockExchange& exchange_;
    Side side_;
    std::uint64_t next_round_ = 0;
    BlockPiece piece_;
  };

  /// A window of requests, with their pieces.
  struct Window {
    std::vector<Pending> requests;
    std::vector<BlockPiece> pieces;
    std::uint64_t started = 0;

    explicit Window(std::size_t most) : requests(most, Pending()), pieces(most) {}
    [[nodiscard]] std::uint64_t slot(std::uint64_t number) const { return number % requests.size(); }
    [[nodiscard]] std::uint64_t next() const { return slot(started); }
  };

  [[nodiscard]] bool advance() override;
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override { return lacks_blocks(); }
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override { return {sends_.requests}; }
  void settle() override { blocks_.settle(); }

  void post_receives();
  [[nodiscard]] bool send_one();
  [[nodiscard]] bool lacks_blocks() const { return more_to_receive_ || is_arriving(); }
  [[nodiscard]] const BlockPiece& missing() const;
  [[nodiscard]] bool has(const BlockPiece& piece) const;
  [[nodiscard]] bool is_arriving() const { return arrived_ < receives_.started; }
  [[nodiscard]] bool must_wait(const BlockPiece& piece);
  [[nodiscard]] bool is_under_way(std::uint64_t send);
  void stands_in_the_way(Pending& send);
  void take_arrived();
  [[nodiscard]] std::uint64_t window(std::uint64_t in_flight_bytes) const;

  const LocalBlocks& local_;
  Blocks& blocks_;
  std::uint64_t count_;    ///< of blocks
  std::uint64_t units_;    ///< of all of them
  std::uint64_t segment_;  ///< units
  Pieces to_receive_;
  Pieces to_send_;
  bool more_to_receive_ = false;
  bool more_to_send_ = false;
  Window receives_;
  Window sends_;
  std::uint64_t arrived_ = 0;         ///< pieces, in order
  bool has_come_ = false;             ///< the next piece, which waits for a send
  std::vector<Pending*> in_the_way_;  ///< sends that receiving waits for
  bool is_left_over_ = false;         ///< the library may still use the sends' memory after the call
};

}  // namespace trunkline::runtime
