// SPDX-License-Identifier: Apache-2.0
// Broadcast by blocks: scatter + allgather, and what else a BlockSchedule says. Nobody waits for the end of a round: a
// rank sends as soon as it has what the next send needs.
//
// Cost, with n blocks in R rounds: R T(m / n) where no two transfers of a round share a channel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "datatype/message.hpp"
#include "execute/execution.hpp"
#include "mpi_api.hpp"
#include "plan/block_schedule.hpp"

namespace trunkline::runtime {

/// A rank's own part of a broadcast by blocks.
struct LocalBlocks {
  std::vector<int> order;  ///< ranks of the conduit by position
  std::unique_ptr<const BlockSchedule> schedule;
};

class BlockExchange final : public Execution {
 public:
  /// Everything must outlive the object. The members must agree on the order, the kind of schedule, message bytes and
  /// segment. Blocks are as long as a segment where the schedule takes any number of them; else they are sent in
  /// pieces of a segment.
  BlockExchange(Turn& turn, const LocalBlocks& local, Message& message, std::uint64_t segment_bytes);
  ~BlockExchange() override;
  BlockExchange(const BlockExchange&) = delete;
  BlockExchange& operator=(const BlockExchange&) = delete;

 private:
  /// At most a segment of what a round sends or receives.
  struct Piece {
    int peer = MPI_PROC_NULL;
    std::uint64_t round = 0;
    std::uint64_t needs = no_round;  ///< of a send
    std::uint64_t begin = 0;         ///< bytes of the message
    std::uint64_t end = 0;
    std::uint64_t transfer_end = 0;  ///< of the last piece of the round

    [[nodiscard]] int bytes() const { return static_cast<int>(end - begin); }
  };

  /// The pieces of all rounds, one after another.
  class Pieces {
   public:
    using Side = std::optional<BlockTransfer> (BlockSchedule::*)(std::uint64_t, std::uint64_t) const;
    Pieces(const BlockExchange& exchange, Side side) : exchange_(exchange), side_(side) {}

    /// Moves to the first piece, then from one to the next. Returns whether there is one.
    bool next();
    [[nodiscard]] const Piece& operator*() const { return piece_; }

   private:
    const BlockExchange& exchange_;
    Side side_;
    std::uint64_t next_round_ = 0;
    Piece piece_;
  };

  /// A window of requests, and memory for their pieces where they do not lie in the user's own.
  struct Slots {
    std::vector<MPI_Request> requests;
    std::vector<Piece> pieces;
    std::unique_ptr<std::byte[]> memory;  ///< null: in place
    std::uint64_t started = 0;

    [[nodiscard]] std::uint64_t next() const { return started % requests.size(); }
  };

  [[nodiscard]] bool advance() override;
  void await(std::vector<MPI_Request*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override { return more_to_receive_ || is_arriving(); }
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<MPI_Request>> sends() override { return {sends_.requests}; }

  void post_receives();
  [[nodiscard]] bool send_one();
  [[nodiscard]] bool has(const Piece& piece) const;
  [[nodiscard]] bool is_arriving() const { return arrived_ < receives_.started; }
  void take_arrived();
  [[nodiscard]] Slots slots() const;
  [[nodiscard]] std::byte* place(const Slots& slots, std::uint64_t slot, const Piece& piece) const;
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const;

  const LocalBlocks& local_;
  Message& message_;
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
  std::uint64_t blocks_;
  std::byte* in_place_;  ///< the user's own memory; null: through the slots'
  Pieces to_receive_;
  Pieces to_send_;
  bool more_to_receive_ = false;
  bool more_to_send_ = false;
  Slots receives_;
  Slots sends_;
  std::uint64_t arrived_ = 0;  ///< pieces, in order
  bool is_left_over_ = false;  ///< the library may still use the sends' memory after the call
};

}  // namespace trunkline::runtime
