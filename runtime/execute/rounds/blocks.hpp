// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a collective lie on a rank, and what becomes of those that arrive: what BlockExchange leaves to
// the kind of data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "mpi_api.hpp"
#include "patterns/block_schedule.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// At most a segment of what a round sends or receives. In units: bytes of the signature, or elements that are combined
/// whole; from the begin of the first block on. Of several rows: as if they lay one behind the other.
struct BlockPiece {
  int peer = MPI_PROC_NULL;
  Rank position = no_rank;  ///< of the peer
  std::uint64_t round = 0;
  std::uint64_t needs = no_round;  ///< of a send
  bool reduces = false;
  bool replaces = false;
  BlockRows rows{};         ///< of the round
  std::uint64_t block = 0;  ///< the one that it begins in; of several rows: their first one
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t transfer_end = 0;  ///< of the last piece of the round

  [[nodiscard]] std::uint64_t units() const { return end - begin; }
};

class Blocks {
 public:
  virtual ~Blocks() = default;
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] virtual std::uint64_t count() const = 0;

  /// Where a block begins; of the one after the last: where all end.
  [[nodiscard]] virtual std::uint64_t offset(std::uint64_t block) const = 0;
  [[nodiscard]] virtual std::uint64_t unit_bytes() const { return 1; }

  /// Whether blocks lie apart, so that no piece may go from one to the next.
  [[nodiscard]] virtual bool lie_apart() const { return false; }

  /// Whether what arrives changes data that is sent, too.
  [[nodiscard]] virtual bool change() const { return false; }

  /// The send, by number, that must be over before this receive is started: they share memory. None: they never do.
  [[nodiscard]] virtual std::optional<std::uint64_t> send_before(const BlockPiece& /*piece*/,
                                                                 std::uint64_t /*receive*/) const {
    return {};
  }

  /// Bytes of memory that a piece of `units` units needs while it is received: gaps of its datatype, too.
  [[nodiscard]] virtual std::uint64_t piece_memory(std::uint64_t /*units*/) const { return 0; }

  /// Called once, first: up to `receives` and `sends` pieces of up to `units` units are under way at once.
  virtual void make_room(std::uint64_t receives, std::uint64_t sends, std::uint64_t units) = 0;

  /// Where a piece goes, or comes from; pieces of either side are numbered as they are started. Throws MpiError.
  [[nodiscard]] virtual Chunk incoming(const BlockPiece& piece, std::uint64_t number) = 0;
  [[nodiscard]] virtual Chunk outgoing(const BlockPiece& piece, std::uint64_t number) = 0;
  virtual void arrived(const BlockPiece& piece, std::uint64_t number) = 0;

  /// Once all is over. Throws MpiError.
  virtual void settle() {}

  /// The library may still use the memory of pieces that are received, or sent: it is never freed.
  virtual void give_up(bool received, bool sent) noexcept = 0;
};

/// First unit of a block, of `units` in `blocks` blocks: the first units % blocks of them are longer by one; some may
/// be empty.
[[nodiscard]] constexpr std::uint64_t even_offset(std::uint64_t units, std::uint64_t blocks, std::uint64_t block) {
  return units / blocks * block + std::min(block, units % blocks);
}

}  // namespace trunkline::runtime
