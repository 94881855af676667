// SPDX-License-Identifier: Apache-2.0
// What every replay of a plan takes, and the replays.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"
#include "plan/in_flight.hpp"
#include "plan/tree_shape.hpp"
#include "replay/replay.hpp"

namespace trunkline {

/// All must outlive a replay.
struct ReplayGround {
  const Paths& paths;
  const Placement& placement;
  const HostCosts& hosts;
  InFlight in_flight;
  std::uint64_t message_bytes;
  std::uint64_t segment_bytes;  ///< no longer than the message
};

/// Segments that go down trees, or operands that go up. Nothing where that takes more events; the same below.
[[nodiscard]] std::optional<Replayed> replayed_trees(const ReplayGround& ground, const std::vector<TreeShape>& trees,
                                                     Direction direction, std::uint64_t most_events);
/// Shares of all ranks along one tree.
[[nodiscard]] std::optional<Replayed> replayed_gather(const ReplayGround& ground, const Tree& tree,
                                                      std::uint64_t most_events);
/// Blocks that ranks send each other in rounds.
[[nodiscard]] std::optional<Replayed> replayed_rounds(const ReplayGround& ground, const Rounds& rounds,
                                                      const CollectiveFacts& facts, std::uint64_t most_events);

/// When a pipeline is filled: from then on each further step takes as long as the one before. Looks at how long each
/// `stride` of further steps takes. Steps are counted as they end.
class Steady {
 public:
  explicit Steady(std::uint64_t stride) : stride_(stride) {}

  /// `done` steps are over now, of which no fewer than before. Seconds of a step, once three strides in a row took as
  /// long but for a hundredth; nothing before.
  [[nodiscard]] std::optional<double> at(std::uint64_t done, double now_s) {
    constexpr double alike = 0.01;
    if (done < looked_at_ + stride_) return {};
    const double each_s = (now_s - at_s_) / static_cast<double>(done - looked_at_);
    in_a_row_ = std::abs(each_s - each_s_) <= alike * each_s ? in_a_row_ + 1 : 0;
    looked_at_ = done;
    at_s_ = now_s;
    each_s_ = each_s;
    if (in_a_row_ < 2) return {};
    return each_s;
  }

 private:
  std::uint64_t stride_;
  std::uint64_t looked_at_ = 0;
  double at_s_ = 0.0;
  double each_s_ = 0.0;
  int in_a_row_ = 0;
};

}  // namespace trunkline
