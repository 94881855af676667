// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/pair_blocks.hpp"

#include <algorithm>

#include "datatype/operands.hpp"

namespace trunkline::runtime {

PairBlocks::PairBlocks(const Exchanged& exchanged, std::span<const Rank> members, Rank position)
    : exchanged_(exchanged), members_(members), position_(position) {
  const std::uint64_t block = exchanged.block_bytes;
  const std::uint64_t bytes = members.size() * block;
  if (exchanged.sent.bytes() != bytes || exchanged.received.bytes() != bytes) throw MpiError{MPI_ERR_TRUNCATE};
  const std::uint64_t own = members[position] * block;
  if (!exchanged.in_place) copy_stream(exchanged.sent, own, exchanged.received, own, block);
}

PairBlocks::Place PairBlocks::place(const BlockPiece& piece) {
  const std::uint64_t bytes = exchanged_.block_bytes;
  const std::uint64_t block = piece.begin / bytes;
  const std::uint64_t before = piece.begin % bytes;
  const std::uint64_t from = block / members_.size();
  const std::uint64_t to = block % members_.size();
  Place place{.message = exchanged_.sent,
              .offset = members_[to] * bytes + before,
              .bytes = std::min(piece.end - piece.begin, bytes - before)};
  if (from == position_) return place;
  if (to == position_) {
    return {.message = exchanged_.received, .offset = members_[from] * bytes + before, .bytes = place.bytes};
  }
  Carried& carried = carried_.try_emplace(block, bytes).first->second;
  return {.message = carried.message, .offset = before, .bytes = place.bytes};
}

}  // namespace trunkline::runtime
