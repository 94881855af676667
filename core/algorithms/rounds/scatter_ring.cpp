// SPDX-License-Identifier: Apache-2.0
// Cost: log2(P) rounds that halve the message, then (P - 1) T(m / P).
#include "algorithms/rounds/scatter_ring.hpp"

namespace trunkline {

std::uint64_t ScatterRing::rounds(std::uint64_t /*blocks*/) const {
  return scatter_.round_count() + scatter_.ranks() - 1;
}

/// Towards the end fewer ranks send: those that held their last blocks from the scatter get none.
std::uint64_t ScatterRing::alike(std::uint64_t round) const {
  return round < scatter_.round_count() ? 1 : scatter_.round_count() + scatter_.ranks() - 1 - round;
}

// In step s of the ring, counted from 1, a rank gets the block of the one s places before it. Those it holds from the
// scatter would come last, so it is done that much earlier.

std::optional<BlockTransfer> ScatterRing::send(std::uint64_t round, std::uint64_t /*blocks*/) const {
  if (round < scatter_.round_count()) return scatter_.send(round);
  const std::uint64_t step = round - scatter_.round_count() + 1;
  const std::uint64_t ranks = scatter_.ranks();
  const std::uint64_t position = scatter_.position();
  const auto to = static_cast<Rank>((position + 1) % ranks);
  if (step > ranks - scatter_.held_by(to)) return {};
  const bool from_ring = step > 1 && step - 1 <= ranks - scatter_.held_by(scatter_.position());
  return BlockTransfer{.peer = to,
                       .first = (position + ranks + 1 - step) % ranks,
                       .count = 1,
                       .needs = from_ring ? round - 1 : scatter_.received_in()};
}

std::optional<BlockTransfer> ScatterRing::receive(std::uint64_t round, std::uint64_t /*blocks*/) const {
  if (round < scatter_.round_count()) return scatter_.receive(round);
  const std::uint64_t step = round - scatter_.round_count() + 1;
  const std::uint64_t ranks = scatter_.ranks();
  const std::uint64_t position = scatter_.position();
  if (step > ranks - scatter_.held_by(scatter_.position())) return {};
  return BlockTransfer{.peer = static_cast<Rank>((position + ranks - 1) % ranks),
                       .first = (position + ranks - step) % ranks,
                       .count = 1};
}

}  // namespace trunkline
