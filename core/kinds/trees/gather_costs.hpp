// SPDX-License-Identifier: Apache-2.0
// What shares cost that go from each rank to all others along one tree, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "model/transfer/segments.hpp"
#include "network/paths.hpp"
#include "patterns/tree.hpp"
#include "plan/costs.hpp"
#include "plan/in_flight.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// All that must pass something in a row, whatever the length of a share: what comes there no sooner than by `way`'s
/// begin, and has no shorter way than its end to go from there.
struct GatherBound {
  struct Way {
    double latency_s = 0.0;
    double byte_s = 0.0;        ///< for each byte of a piece: the slowest channel of each hop
    double frame_byte_s = 0.0;  ///< for each byte of its first frame: further channels that store it
    Handlings handlings{};

    Way& operator+=(const Way& other);
  };
  Way way;
  double share_byte_s = 0.0;  ///< for each byte of a share on the wire: on a channel
  Handlings handlings{};      ///< of each piece of a share: by a rank
  double shares = 0.0;        ///< by a hop whose window may end; 0: none does
  double round_trip_s = 0.0;  ///< of that hop
};

/// A tree's time as a function of message and segment: the largest of what its bounds take.
struct GatherCosts final : CostFunction {
  std::vector<GatherBound> bounds;  ///< those that may be the largest for some message
  double ranks = 1.0;
  double transfers = 0.0;  ///< of a piece of each share between hosts, by all ranks
  double local_transfers = 0.0;
  std::uint64_t in_flight_bytes = least_in_flight_bytes;  ///< on a far hop
  HostCosts hosts = usual_host_costs();

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const override;
  [[nodiscard]] TimedSegment fastest_segment(std::uint64_t message_bytes, const Cuts& cuts) const override;
};

/// A channel, a rank, or the window of a long hop is busy from when the first share can be there on, of those that come
/// from so far away or farther, until all of these have passed; then the last piece has the rest of its way to go. The
/// largest of these bounds is taken, over all of them and all sites that shares come from. Shares are alike. Time and
/// space O(ranks * (sites + length of a path)), and what it takes to keep the bounds that count. Throws
/// std::invalid_argument where `placement` and `tree` differ in length.
[[nodiscard]] GatherCosts gather_costs(const Paths& paths, const Placement& placement, const Tree& tree,
                                       const HostCosts& hosts, const InFlight& in_flight);

}  // namespace trunkline
