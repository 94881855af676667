// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/gathered_blocks.hpp"

namespace trunkline::runtime {

GatheredBlocks::GatheredBlocks(const Gathered& gathered, std::span<const Rank> members)
    : shares_(gathered, members), offsets_{0} {
  offsets_.reserve(shares_.size() + 1);
  for (Rank position = 0; position < shares_.size(); ++position) {
    offsets_.push_back(offsets_.back() + shares_.bytes(position));
  }
}

}  // namespace trunkline::runtime
