// SPDX-License-Identifier: Apache-2.0
// The shares of an allgather cut into packets and pieces, and which packets are here: docs/multicast.md, "By turns".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execute/rounds/gathered_blocks.hpp"

namespace trunkline::runtime {

/// Each rank's share goes in pieces of so many packets, all ranks' in as many pieces: who has no more to send sends
/// empty packets, which say that it has what came before. Packet k of piece w has the number w * packets + k. Behind
/// all of these the one whose turn is first may send more, in pieces as well, while all others send empty packets.
class Shares {
 public:
  /// `blocks` and `behind`, which may be null, must outlive the object. So many bytes a packet, packets a piece.
  Shares(const GatheredBlocks& blocks, std::uint32_t packet_bytes, std::uint32_t piece_packets,
         Message* behind = nullptr);

  /// Of any rank.
  [[nodiscard]] std::uint32_t pieces() const noexcept { return pieces_; }
  /// The same without what comes behind.
  [[nodiscard]] std::uint32_t pieces_of_shares() const noexcept { return pieces_of_shares_; }
  [[nodiscard]] std::uint32_t piece_packets() const noexcept { return piece_packets_; }
  /// After the last packet of all.
  [[nodiscard]] std::uint32_t end() const noexcept { return pieces_ * piece_packets_; }

  // Of the share of the rank with that turn.

  /// That it has but for empty ones.
  [[nodiscard]] std::uint32_t packets(std::size_t turn) const { return shares_[turn].packets; }

  /// The first number that is not here.
  [[nodiscard]] std::uint32_t base(std::size_t turn) const { return shares_[turn].base; }
  [[nodiscard]] bool is_whole(std::size_t turn) const { return base(turn) == end(); }
  /// So many pieces, the first ones, are here.
  [[nodiscard]] std::uint32_t pieces_here(std::size_t turn) const { return base(turn) / piece_packets_; }
  /// A later packet than one that is missing is here.
  [[nodiscard]] bool has_gap(std::size_t turn) const { return shares_[turn].here != 0; }
  /// From base() on: what is missing of its piece, and before the last packet that is here.
  [[nodiscard]] std::uint64_t missing(std::size_t turn) const;
  /// Packets that this piece has.
  [[nodiscard]] std::uint32_t packets_of_piece(std::size_t turn, std::uint32_t piece) const;

  /// Whether its share is here, whatever comes behind.
  [[nodiscard]] bool has_share(std::size_t turn) const { return pieces_here(turn) >= pieces_of_shares_; }

  /// Whether it was missing. Throws MpiError where it cannot be put into the user's memory; it is here all the same.
  bool add(std::size_t turn, std::uint32_t number, std::span<const std::byte> bytes);

  /// Of this rank, whose share is all here: the packets of a piece, which stay until the next call.
  [[nodiscard]] std::span<const std::byte> piece(std::size_t turn, std::uint32_t piece);
  void has_all(std::size_t turn) { shares_[turn].base = end(); }

 private:
  struct Share {
    Message* message = nullptr;
    std::uint64_t bytes = 0;
    std::uint32_t packets = 0;
    std::uint32_t base = 0;
    std::uint64_t here = 0;  ///< from base on
    Message* behind = nullptr;
    std::uint64_t behind_bytes = 0;
    std::uint32_t behind_packets = 0;
  };
  /// A part of what a rank sends.
  struct Slice {
    Message* message;
    std::uint64_t from;
    std::uint64_t bytes;
  };
  [[nodiscard]] Slice slice(const Share& share, std::uint32_t number, std::uint64_t most_bytes) const;
  [[nodiscard]] std::uint32_t first_behind() const { return pieces_of_shares_ * piece_packets_; }
  [[nodiscard]] bool exists(const Share& share, std::uint32_t number) const;
  void skip_what_is_here(Share& share);

  std::uint32_t packet_bytes_;
  std::uint32_t piece_packets_;
  std::uint32_t pieces_of_shares_ = 0;
  std::uint32_t pieces_ = 0;
  std::vector<Share> shares_;
  std::vector<std::byte> piece_{};
};

}  // namespace trunkline::runtime
