// SPDX-License-Identifier: Apache-2.0
// Blocks of an alltoall: one for each pair of positions, those of position 0 for all first. A rank may know the lengths
// of its own ones alone: then others count as empty, and so they are to all that it sends and receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "datatype/exchanged.hpp"
#include "execute/rounds/stream_blocks.hpp"
#include "network/placement.hpp"

namespace trunkline::runtime {

class PairBlocks final : public StreamBlocks {
 public:
  /// Of each block, as Sliced has them: the last ones are shorter or empty. More than one where blocks go straight on.
  struct Slices {
    std::uint64_t count = 1;
    std::uint64_t bytes = 0;
  };

  /// `members`: ranks of the communicator by position. The rank's own block is copied. Throws MpiError,
  /// MPI_ERR_TRUNCATE where what is sent and what is received are of different lengths.
  PairBlocks(const Exchanged& exchanged, std::span<const Rank> members, Rank position, Slices slices);

  [[nodiscard]] std::uint64_t count() const override { return members_.size() * members_.size() * slices_.count; }
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const override;

 private:
  /// Blocks in a row, between others, on their way through this rank.
  struct Carried {
    explicit Carried(std::uint64_t count)
        : bytes(count), message(bytes.data(), static_cast<MPI_Count>(count), MPI_BYTE, MPI_COMM_NULL) {}
    std::vector<std::byte> bytes;
    Message message;
  };
  [[nodiscard]] Place place(const BlockPiece& piece) override;
  [[nodiscard]] std::uint64_t begin(std::uint64_t pair) const;
  [[nodiscard]] const PairBlock& own(std::uint64_t pair) const;
  void add_up_own();

  const Exchanged& exchanged_;
  std::span<const Rank> members_;
  Rank position_;
  Slices slices_;
  std::uint64_t block_bytes_;                   ///< of even ones
  std::vector<std::uint64_t> sent_{};           ///< of others: bytes for the positions before each, and for all
  std::vector<std::uint64_t> received_{};       ///< and from them, but for this rank
  std::map<std::uint64_t, Carried> carried_{};  ///< by the first block
};

}  // namespace trunkline::runtime
