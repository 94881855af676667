// SPDX-License-Identifier: Apache-2.0
// Times of plans that go by rounds instead of down trees, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <vector>

#include "kinds/rounds/rounds.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// What rounds cost, as a function of the segment: what does not depend on it, taken once and kept.
struct RoundCosts final : CostFunction {
  std::uint64_t blocks = 0;
  bool any_blocks = false;  ///< segments are the blocks; else those are pieces of them
  bool relays = false;      ///< all rounds are alike, and each hands on what came in the one before: pieces flow
  bool in_lanes = false;    ///< part of the rounds is as with `relays`, in several rings at once
  std::uint64_t parts = 1;  ///< of exchanges: they go one behind the other
  HostCosts hosts = usual_host_costs();
  RoundCost rounds;             ///< of any blocks: one period, in which each transfer is the whole message
  std::vector<RoundCost> each;  ///< those that are alike together
  RoundCost at_once;            ///< of several parts, or of any blocks: all transfers together
  RoundCost of_one_block;       ///< of any blocks: all rounds of a message that is a single one

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] std::uint64_t relayed_blocks() const override;
  [[nodiscard]] double exchanged_byte_s() const override;
};

/// Replays the rounds of all ranks and adds up their loads, those that are alike once. Time O(ranks * length of a path)
/// for each of the others. `in_step`: each rank waits for all of a round before it sends in the next one, as MPI
/// libraries do; else for what it sends.
[[nodiscard]] RoundCosts round_costs(const Paths& paths, const Placement& placement, const Rounds& rounds,
                                     const HostCosts& hosts = usual_host_costs(), bool in_step = false);

/// Seconds of `message_bytes` in segments of `segment_bytes`, both above zero. Those of any blocks, and those that
/// relay, overlap; others do not, so it is an upper bound where no rank waits long.
[[nodiscard]] double round_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// The one of segment_sizes() that round_seconds() finds fastest; of rounds that relay the longest that is hardly
/// slower; the longest of all where all ranks share one host.
[[nodiscard]] std::uint64_t best_segment(const RoundCosts& costs, std::uint64_t message_bytes);

}  // namespace trunkline
