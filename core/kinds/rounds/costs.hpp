// SPDX-License-Identifier: Apache-2.0
// Times of plans that go by rounds instead of down trees, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kinds/rounds/rounds.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// Time of an algorithm in rounds, linear in the message: a round takes as long as its busiest channel.
struct RoundCost {
  double rounds = 0.0;
  double seconds_per_byte = 0.0;  ///< sum over the rounds of the busiest channel's load over its rate
  double parts = 0.0;             ///< sum over the rounds of the longest transfer's part of the message
  double alone_byte_s = 0.0;      ///< the same as seconds_per_byte where each transfer is alone
  double latency_s = 0.0;         ///< sum over the rounds of the longest path's
  double frame_byte_s = 0.0;      ///< the same for each byte of a frame that is stored on that path
  double transfers = 0.0;         ///< of all ranks and rounds
  double amounts = 0.0;           ///< their parts of the message, added up

  /// The longest transfer of a round, where all rounds are alike.
  [[nodiscard]] std::uint64_t transfer_bytes(std::uint64_t message_bytes) const;

  RoundCost& operator+=(const RoundCost& other);

  /// Seconds for a message of that many bytes in transfers of `transfer_bytes`, both above zero.
  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes,
                               const HostCosts& hosts = usual_host_costs()) const;
};

/// What rounds cost, as a function of the segment: what does not depend on it, taken once and kept.
struct RoundCosts final : CostFunction {
  std::uint64_t blocks = 0;
  bool any_blocks = false;  ///< segments are the blocks; else those are pieces of them
  bool relays = false;      ///< all rounds are alike, and each hands on what came in the one before: pieces flow
  HostCosts hosts = usual_host_costs();
  RoundCost rounds;             ///< of any blocks: one period, in which each transfer is the whole message
  std::vector<RoundCost> each;  ///< those that are alike together

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
  [[nodiscard]] std::uint64_t relayed_blocks() const override { return relays ? blocks : 0; }
  [[nodiscard]] double exchanged_byte_s() const override;
};

/// Replays the rounds of all ranks and adds up their loads, those that are alike once. Time O(ranks * length of a path)
/// for each of the others.
[[nodiscard]] RoundCosts round_costs(const Paths& paths, const Placement& placement, const Rounds& rounds,
                                     const HostCosts& hosts = usual_host_costs());

/// Seconds of `message_bytes` in segments of `segment_bytes`, both above zero. Those of any blocks, and those that
/// relay, overlap; others do not, so it is an upper bound where no rank waits long.
[[nodiscard]] double round_seconds(const RoundCosts& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// The one of segment_sizes() that round_seconds() finds fastest; of rounds that relay the longest that is hardly
/// slower; the longest of all where all ranks share one host.
[[nodiscard]] std::uint64_t best_segment(const RoundCosts& costs, std::uint64_t message_bytes);

/// Transfers at once between ranks, each of the same part of the message; so many times over.
struct Exchange {
  std::vector<std::pair<Rank, Rank>> transfers{};  ///< from, to
  double part = 1.0;
  double times = 1.0;
};

/// Each of them, those times over.
[[nodiscard]] std::vector<RoundCost> exchange_costs(const Paths& paths, const Placement& placement,
                                                    std::span<const Exchange> exchanges);

/// One exchange after another.
[[nodiscard]] RoundCost exchange_cost(const Paths& paths, const Placement& placement,
                                      std::span<const Exchange> exchanges);

/// A tree in which every rank sends the whole message to all its children at once, so that the copies share its
/// channels and end together: one round of each level.
[[nodiscard]] RoundCost level_cost(const Paths& paths, const Placement& placement, const Tree& tree);

}  // namespace trunkline
