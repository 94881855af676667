// SPDX-License-Identifier: Apache-2.0
// Allgather over one tree: what comes from a neighbour, parent or child, goes on to all others as soon as it is here.
// So each rank's share crosses each hop of the tree once, and all hops are busy both ways at once.
//
// Pieces of different shares come in whatever order the network brings them, and each says which one it is: a share
// from near never waits for one from far away.
//
// Cost: the latencies of the longest way, and T(m) for each neighbour that a rank sends to, but one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "execute/execution.hpp"
#include "execute/gathered_shares.hpp"
#include "execute/trees/local_tree.hpp"
#include "mpi_api.hpp"
#include "plan/in_flight.hpp"

namespace trunkline::runtime {

/// A rank's neighbours in a tree, and which of them shares come by.
struct Neighbourhood {
  std::vector<int> peers;  ///< as the transport numbers ranks
  std::vector<std::uint32_t>
      side;  ///< by rank of the communicator: the neighbour that its share comes by; its own: none

  static constexpr std::uint32_t none = ~std::uint32_t{0};
};

/// Of the `rank`-th of the members, which are given by their ranks of the private communicator.
[[nodiscard]] Neighbourhood neighbourhood_of(const Tree& tree, Rank rank, std::span<const int> members);

class TreeGathering final : public Execution {
 public:
  /// Everything must outlive the object. The members must agree on the tree, the lengths of all shares and the segment.
  /// This rank's own share is where it belongs.
  TreeGathering(Transport& transport, const Neighbourhood& around, const GatheredShares& shares, Rank own,
                std::uint64_t segment_bytes, const InFlight& in_flight);
  ~TreeGathering() override;
  TreeGathering(const TreeGathering&) = delete;
  TreeGathering& operator=(const TreeGathering&) = delete;

 private:
  /// Of a share: its bytes from number times the length of a piece on. Stands ahead of them in a message.
  struct Piece {
    Rank rank;
    std::uint32_t number;
  };
  /// To and from a neighbour. A window of messages has memory of its own each way.
  struct Hop {
    int peer;
    std::uint64_t window;
    std::uint64_t awaited = 0;  ///< pieces that come by it
    std::uint64_t posted = 0;
    std::uint64_t received = 0;  ///< in order
    std::vector<Piece> to_send{};
    std::uint64_t sent = 0;
    std::uint64_t to_send_in_all = 0;
    std::vector<Pending> receives{};
    std::vector<Pending> sends{};
    std::unique_ptr<std::byte[]> incoming{};
    std::unique_ptr<std::byte[]> outgoing{};
    bool is_left_over = false;  ///< the library may still use what was sent after the call
  };

  [[nodiscard]] bool advance() override;
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override;
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override { return around_.peers; }
  [[nodiscard]] std::vector<std::span<Pending>> sends() override;

  void post_receives(Hop& hop);
  [[nodiscard]] bool send_one(Hop& hop);
  void arrived(Hop& from, std::span<std::byte> message);
  [[nodiscard]] std::uint64_t pieces_of_share(Rank rank) const;
  [[nodiscard]] std::uint64_t bytes_of(const Piece& piece) const;
  [[nodiscard]] std::uint64_t number_of(const Piece& piece) const { return first_piece_[piece.rank] + piece.number; }

  const Neighbourhood& around_;
  const GatheredShares& shares_;
  std::uint64_t piece_bytes_;
  std::uint64_t message_bytes_;             ///< of the longest message
  std::vector<std::uint64_t> first_piece_;  ///< by rank; one more than there are: all pieces
  std::vector<Hop> hops_;
  std::vector<Hop*> arriving_;  ///< whose next message each awaited request brings; null: a send
};

}  // namespace trunkline::runtime
