// SPDX-License-Identifier: Apache-2.0
// Scatter, then every block goes round a ring.
#pragma once

#include "algorithms/rounds/scatter.hpp"
#include "patterns/block_schedule.hpp"

namespace trunkline {

/// Van de Geijn's broadcast as MPICH and Open MPI have it for long messages, but for the blocks that a rank holds from
/// the scatter already: these are not sent to it again. One block for each rank; log2(ranks) + ranks - 1 rounds, each
/// known in constant time.
class ScatterRing final : public BlockSchedule {
 public:
  /// Throws std::invalid_argument where `position` is not below `ranks`.
  ScatterRing(Rank ranks, Rank position) : scatter_(ranks, position) {}

  [[nodiscard]] std::optional<std::uint64_t> fixed_blocks() const override { return scatter_.ranks(); }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t blocks) const override;
  [[nodiscard]] std::uint64_t alike(std::uint64_t round) const override;
  [[nodiscard]] std::optional<BlockTransfer> send(std::uint64_t round, std::uint64_t blocks) const override;
  [[nodiscard]] std::optional<BlockTransfer> receive(std::uint64_t round, std::uint64_t blocks) const override;

 private:
  Scatter scatter_;
};

}  // namespace trunkline
