// SPDX-License-Identifier: Apache-2.0
// Shares of all ranks along one tree, as runtime/execute/trees/tree_gathering hands them on.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "patterns/tree.hpp"
#include "replay/ground.hpp"
#include "replay/replay.hpp"
#include "replay/resources.hpp"

namespace trunkline {

/// Each rank sends its share to all neighbours, parent and children; what comes from one goes on to all others, in the
/// order in which it comes. Shares are alike.
class GatherReplay {
 public:
  GatherReplay(const ReplayGround& ground, const Tree& tree);

  /// Nothing where that takes more events.
  [[nodiscard]] std::optional<Replayed> run(std::uint64_t most_events);

 private:
  struct Hop {
    Rank to = no_rank;
    std::uint64_t window = 0;
    std::uint64_t under_way = 0;
    std::deque<std::uint64_t> waiting{};  ///< pieces, bytes
  };

  void send(Rank rank, Hop& hop);

  Resources resources_;
  std::vector<std::vector<Hop>> hops_;  ///< by rank
};

}  // namespace trunkline
