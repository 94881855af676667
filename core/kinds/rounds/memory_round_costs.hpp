// SPDX-License-Identifier: Apache-2.0
// Times of plans by rounds whose ranks are all on one host.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/rounds/rounds.hpp"
#include "model/transfer/host_costs.hpp"
#include "plan/costs.hpp"

namespace trunkline {

struct MemoryRoundCosts final : CostFunction {
  struct Round {
    double times = 1.0;
    double part = 0.0;     ///< of the message: the most that a rank sends, and takes
    bool reduces = false;  ///< and adds to its own
  };
  std::vector<Round> rounds;
  std::uint64_t blocks = 0;  ///< 0: any number, which is what segments are then
  double own_part = 0.0;     ///< of the message, that each rank copies to where all of it goes
  double combine_byte_s = 0.0;
  const MemorySpeeds* speeds = nullptr;  ///< lives as long as the process

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  /// The longest: a transfer is cut by whoever carries it.
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  /// Of any number of blocks nothing is known.
  [[nodiscard]] bool can_pay() const override { return blocks > 0; }
};

/// Time O(ranks * rounds that differ).
[[nodiscard]] MemoryRoundCosts memory_round_costs(const Rounds& rounds, Collective collective, const HostCosts& hosts);

}  // namespace trunkline
