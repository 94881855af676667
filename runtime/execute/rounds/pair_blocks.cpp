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
  const std::uint64_t row_bytes = piece.rows.count * bytes;
  const std::uint64_t done = piece.begin - offset(piece.rows.first);
  const std::uint64_t row = piece.rows.first + done / row_bytes * piece.rows.stride;
  const std::uint64_t block = row + done % row_bytes / bytes;
  const std::uint64_t before = done % bytes;
  const std::uint64_t from = block / members_.size();
  const std::uint64_t to = block % members_.size();
  const std::uint64_t left = std::min(piece.end - piece.begin, bytes - before);
  if (from == position_) return {.message = exchanged_.sent, .offset = members_[to] * bytes + before, .bytes = left};
  if (to == position_) {
    return {.message = exchanged_.received, .offset = members_[from] * bytes + before, .bytes = left};
  }
  // What is sent on lies in the row that it came in.
  auto held = carried_.upper_bound(block);
  if (held != carried_.begin()) --held;
  const bool is_there =
      held != carried_.end() && held->first <= block && offset(block - held->first) < held->second.bytes.size();
  if (!is_there) held = carried_.try_emplace(row, row_bytes).first;
  return {.message = held->second.message, .offset = offset(block - held->first) + before, .bytes = left};
}

}  // namespace trunkline::runtime
