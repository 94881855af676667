// SPDX-License-Identifier: Apache-2.0
// Latency, one-way times, injection time and bandwidth between pairs of hosts, several pairs at a time that do not
// disturb each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/cluster.hpp"
#include "network/pair_rounds.hpp"
#include "network/placement.hpp"
#include "one_way_times.hpp"
#include "pair.hpp"

namespace trunkline::measure {

/// Of two hosts, seconds and bytes a second. [0]: the first one sends.
struct PairFigures {
  HostPair hosts;
  std::uint32_t round = 0;
  double round_trip_s = 0.0;  ///< of an empty message
  double round_trip_spread = 0.0;
  WayFigures way[2];
  OneWayTimes one_way{};
};

struct PairOptions {
  std::size_t most_pairs = 0;
  std::vector<HostPair> only{};  ///< these, of hosts that take part; empty: all, or a sample
  std::uint64_t bytes = 0;       ///< of a message of the stream that bandwidth is taken from
  double patience_s = 0.0;       ///< after which a pair whose hosts do not reach each other ends the job
};

/// Everybody calls it. Rank 0 gets the figures of all pairs, round by round. The first rank of each host takes part.
/// Ends the process with a message (exit status 1) where a pair has not ended in time.
[[nodiscard]] std::vector<PairFigures> measure_pairs(const Cluster& cluster, const Placement& hosts,
                                                     const PairOptions& options, const Limits& limits);

}  // namespace trunkline::measure
