// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/scatter.hpp"

#include <algorithm>
#include <bit>

namespace trunkline {

Scatter::Scatter(Rank ranks, Rank position)
    : ranks_(ranks), position_(position), rounds_(static_cast<std::uint64_t>(std::bit_width(ranks - 1))) {
  check_root(ranks, position);
}

Rank Scatter::held_by(Rank position) const {
  if (position == 0) return ranks_;
  return std::min(Rank{1} << std::countr_zero(position), ranks_ - position);
}

std::uint64_t Scatter::received_in() const {
  if (position_ == 0) return no_round;
  return rounds_ - 1 - static_cast<std::uint64_t>(std::countr_zero(position_));
}

std::optional<BlockTransfer> Scatter::send(std::uint64_t round) const {
  const Rank apart = distance(round);
  if (position_ % (std::uint64_t{2} * apart) != 0 || ranks_ - position_ <= apart) return {};
  const Rank to = position_ + apart;
  return BlockTransfer{.peer = to, .first = to, .count = held_by(to), .needs = received_in()};
}

std::optional<BlockTransfer> Scatter::receive(std::uint64_t round) const {
  if (round != received_in()) return {};
  return BlockTransfer{.peer = position_ - distance(round), .first = position_, .count = held_by(position_)};
}

}  // namespace trunkline
