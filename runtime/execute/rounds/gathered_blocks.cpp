// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/gathered_blocks.hpp"

#include <algorithm>

namespace trunkline::runtime {

GatheredBlocks::GatheredBlocks(const Gathered& gathered, std::span<const Rank> members)
    : shares_(gathered, members), offsets_{0} {
  offsets_.reserve(shares_.size() + 1);
  for (Rank position = 0; position < shares_.size(); ++position) {
    offsets_.push_back(offsets_.back() + shares_.bytes(position));
  }
}

GatheredBlocks::Place GatheredBlocks::place(const BlockPiece& piece) {
  std::uint64_t block = piece.block;
  while (offsets_[block + 1] <= piece.begin) ++block;
  return {.message = *shares_.message(static_cast<Rank>(block)),
          .offset = piece.begin - offsets_[block],
          .bytes = std::min(piece.end, offsets_[block + 1]) - piece.begin};
}

}  // namespace trunkline::runtime
