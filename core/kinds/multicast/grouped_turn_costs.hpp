// SPDX-License-Identifier: Apache-2.0
// What an allgather by multicast in groups costs, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/grouped_costs.hpp"
#include "kinds/multicast/multicast.hpp"
#include "kinds/multicast/turn_costs.hpp"
#include "plan/costs.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// One after another:
///   seconds = what the blocks of a group take by turns in it, of the slowest group
///           + of the first ranks of groups, which send each other their groups' blocks: the longest way of a segment,
///             what they spend on all segments, and all bytes on the busiest channel between them
///           + what the blocks of all other groups take in a group from its first rank to all, and for each piece of
///             them an empty datagram of each other rank, of the slowest group.
/// Where hosts share processors, groups take them one after another. Blocks are taken to be alike.
struct GroupedTurnCosts final : CostFunction {
  struct Group {
    double ranks = 0.0;
    std::optional<TurnCosts> turns{};        ///< none: a rank alone
    std::optional<MulticastCosts> behind{};  ///< from its first rank
  };
  std::vector<Group> groups{};
  double ranks = 0.0;
  /// Between the first ranks of two groups.
  struct Way {
    double latency_s = 0.0;
    double byte_s = 0.0;          ///< of the slowest link
    double further_byte_s = 0.0;  ///< each byte of a frame that is stored
  };
  std::vector<Way> ways{};
  double busiest_byte_s = 0.0;  ///< for each byte of one rank's block: seconds on the busiest channel
  HostCosts hosts = usual_host_costs();
  double opens_s = 0.0;

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] bool can_pay() const override { return can_groups_pay(groups, &Group::turns); }
  [[nodiscard]] double opening_s() const override { return opens_s; }

 private:
  [[nodiscard]] double exchange_s(std::uint64_t block_bytes, std::uint64_t segment_bytes) const;
};

/// Time O(groups^2 * length of a path + ranks * log(nodes)). Throws std::invalid_argument where the placement does not
/// fit.
[[nodiscard]] GroupedTurnCosts grouped_turn_costs(const Paths& paths, const Placement& placement,
                                                  const Multicast& multicast,
                                                  const HostCosts& hosts = usual_host_costs());

}  // namespace trunkline
