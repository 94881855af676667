// SPDX-License-Identifier: Apache-2.0
// An allgather in which each rank multicasts its share by turn, and keeps it for those that ask: docs/multicast.md,
// "By turns".
//
// Cost, with P ranks, N packets a share and T(m) the time of one transfer of m bytes: P N T(packet), plus one way.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "execute/multicast/shares.hpp"
#include "execute/without_messages.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

/// Who sends when, as one rank sees it.
struct Turns {
  std::vector<int> ranks;     ///< of the private communicator, by turn
  std::vector<Rank> members;  ///< of the communicator, by turn
  std::size_t own = 0;        ///< this rank's turn
  Rank at_once = 1;
  double byte_s = 0.0;  ///< seconds for each byte on the wire of the slowest link; 0: not known

  /// Packets of a piece where all ranks' pieces are to fit into any buffer; 0: no rank's message is eager.
  [[nodiscard]] std::uint32_t piece_packets(const Datagrams& datagrams) const;
};

/// What the rank whose turn is first sends behind all shares, as those of other groups.
struct Behind {
  Message* message = nullptr;      ///< null: nothing
  const bool* has_come = nullptr;  ///< on that rank: whether the message is there, which others need not send
};

class GatherByTurns final : public WithoutMessages {
 public:
  /// All must outlive the object, whose `piece_packets` are above 0. `own`: this rank's share, null where it is empty;
  /// `in_place`: it lies where it belongs. Throws MpiError.
  GatherByTurns(Transport& transport, Datagrams& datagrams, const Turns& turns, std::uint32_t piece_packets,
                const Gathered& gathered, Message* own, bool in_place, const Behind& behind = {});

  /// Whether there are shares to send, and no more of their packets would be empty than not, as where they are most
  /// uneven; the same on all ranks.
  [[nodiscard]] bool is_worth_it() const;

  /// Whether the shares of all are here, whatever comes behind.
  [[nodiscard]] bool have_shares_come() const;

  [[nodiscard]] int code() const override { return delivered_; }

 private:
  /// What is known of a rank whose share is not whole, beside the share.
  struct Owner {
    double lost_at = 0.0;  ///< since when what is missing must have been sent; 0: it may not have been
    double patience = 0.0;
  };

  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override { return true; }
  [[nodiscard]] std::uint64_t progress() const override { return came_ + next_; }
  [[nodiscard]] bool is_receiving() const override { return not_whole_ > 0; }
  [[nodiscard]] bool needs(int rank) const override;
  [[nodiscard]] std::vector<int> peers() const override { return turns_.ranks; }
  void settle() override;

  void hear_one(const Datagram& datagram);
  [[nodiscard]] std::size_t turn_of(int rank) const;
  [[nodiscard]] bool may_send(std::uint32_t piece) const;
  void send_what_may_go();
  void forget_what_all_have();
  void ask_where_lost(double now);
  void ask_where_quiet(double now);
  [[nodiscard]] std::uint64_t missing_piece(std::size_t turn) const;
  [[nodiscard]] bool is_lost(std::size_t turn) const;
  void ask(std::size_t turn);

  Datagrams& datagrams_;
  const Turns& turns_;
  GatheredBlocks blocks_;
  const bool* behind_has_come_;  ///< null: it need not be waited for
  Shares shares_;
  std::vector<std::pair<int, std::size_t>> turn_by_rank_;  ///< in the order of ranks
  std::vector<Owner> owners_;
  std::size_t not_whole_;               ///< shares
  std::uint32_t next_ = 0;              ///< packet of its own to be sent
  std::span<const std::byte> piece_{};  ///< that it is of
  std::uint64_t came_ = 0;              ///< packets of others
  bool is_news_ = true;                 ///< something has come since it looked whether it may send
  std::uint32_t forgotten_ = 0;         ///< pieces of its own
  std::uint64_t furthest_ = 0;          ///< pieces before and with the last one that has come, of all ranks by turns
  bool is_heard_ = false;               ///< anybody of another host, by a datagram to all
  int delivered_ = MPI_SUCCESS;
  double between_packets_s_;
  double queued_s_;     ///< that a packet may be behind another rank's
  double quiet_since_;  ///< the last packet, or ask
  double patience_;
  double looked_at_ = 0.0;     ///< for what is lost
  std::size_t next_look_ = 0;  ///< whether that rank has left the call
  bool all_is_sent_ = false;   ///< somebody has
};

}  // namespace trunkline::runtime
