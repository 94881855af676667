// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/pair_blocks.hpp"

#include <algorithm>

#include "datatype/operands.hpp"

namespace trunkline::runtime {

PairBlocks::PairBlocks(const Exchanged& exchanged, std::span<const Rank> members, Rank position, Slices slices)
    : exchanged_(exchanged),
      members_(members),
      position_(position),
      slices_(slices),
      block_bytes_(exchanged.received[members[position]].bytes) {
  const PairBlock& sent = exchanged.sent[members[position]];
  const PairBlock& received = exchanged.received[members[position]];
  if (sent.bytes != received.bytes) throw MpiError{MPI_ERR_TRUNCATE};
  if (!exchanged.in_place && received.bytes > 0) {
    copy_stream(*sent.message, sent.offset, *received.message, received.offset, received.bytes);
  }
  if (!exchanged.is_even) add_up_own();
}

void PairBlocks::add_up_own() {
  sent_.push_back(0);
  received_.push_back(0);
  for (Rank position = 0; position < members_.size(); ++position) {
    const bool is_other = position != position_;
    sent_.push_back(sent_.back() + (is_other ? exchanged_.sent[members_[position]].bytes : 0));
    received_.push_back(received_.back() + (is_other ? exchanged_.received[members_[position]].bytes : 0));
  }
}

std::uint64_t PairBlocks::offset(std::uint64_t block) const {
  const std::uint64_t pair = block / slices_.count;
  const std::uint64_t first = begin(pair);
  const std::uint64_t slice = block % slices_.count;
  return slice == 0 ? first : std::min(first + slice * slices_.bytes, begin(pair + 1));
}

std::uint64_t PairBlocks::begin(std::uint64_t pair) const {
  if (exchanged_.is_even) return pair * block_bytes_;
  const std::uint64_t from = pair / members_.size();
  const std::uint64_t to = pair % members_.size();
  if (from == position_) return received_[from] + sent_[to];
  // One of each row that ends before, or that has passed this rank's column.
  return received_[from + (to > position_ ? 1 : 0)] + (from > position_ ? sent_.back() : 0);
}

const PairBlock& PairBlocks::own(std::uint64_t pair) const {
  const std::uint64_t from = pair / members_.size();
  const std::uint64_t to = pair % members_.size();
  return from == position_ ? exchanged_.sent[members_[to]] : exchanged_.received[members_[from]];
}

PairBlocks::Place PairBlocks::place(const BlockPiece& piece) {
  if (slices_.count > 1) {
    const std::uint64_t pair = piece.rows.first / slices_.count;
    const PairBlock& block = own(pair);
    return {.message = *block.message,
            .offset = block.offset + (piece.begin - begin(pair)),
            .bytes = piece.end - piece.begin};
  }
  const std::uint64_t ranks = members_.size();
  const std::uint64_t row_bytes = offset(piece.rows.first + piece.rows.count) - offset(piece.rows.first);
  const std::uint64_t done = piece.begin - offset(piece.rows.first);
  const std::uint64_t row = piece.rows.first + done / row_bytes * piece.rows.stride;
  // Of uneven ones a transfer has one.
  const std::uint64_t bytes = exchanged_.is_even ? block_bytes_ : row_bytes;
  const std::uint64_t block = row + done % row_bytes / bytes;
  const std::uint64_t before = done % bytes;
  const std::uint64_t from = block / ranks;
  const std::uint64_t to = block % ranks;
  const std::uint64_t left = std::min(piece.end - piece.begin, bytes - before);
  if (from == position_ || to == position_) {
    return {.message = *own(block).message, .offset = own(block).offset + before, .bytes = left};
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
