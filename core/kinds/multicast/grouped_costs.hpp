// SPDX-License-Identifier: Apache-2.0
// What collectives by multicast in groups cost, from the cluster's stated rates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/multicast.hpp"
#include "plan/costs.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

/// A sender hands on what has come so far. So of each group
///   seconds = the longer of: the way of the last segment to its sender, and what that segment takes in the group;
///             the way of the first segment, and what the whole message takes in the group
///           + a call's part of a meeting; where the message is not eager, the way up its confirm tree.
/// The call takes as long as the slowest of them; where hosts share processors, at least what all groups take of these.
/// A sender's own link carries the message once for each group that it sends to, and once for its own.
struct GroupedCosts final : CostFunction {
  struct Group {
    std::optional<TreeCosts> way{};          ///< of messages to its sender; none: the root's
    std::optional<MulticastCosts> within{};  ///< none: a rank alone
  };
  std::vector<Group> groups{};
  double opens_s = 0.0;

  /// Of so many bytes, on the ways to senders: TreeCosts has both.
  void have_windows(double longest_hop_s, std::uint64_t in_flight_bytes);

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] bool can_pay() const override;
  [[nodiscard]] double opening_s() const override { return opens_s; }
};

/// Whether each group of several ranks may be faster than others, and there is one; `within`: what these have, and a
/// rank alone has not.
template <class Group, class Within>
[[nodiscard]] bool can_groups_pay(const std::vector<Group>& groups, std::optional<Within> Group::*within) {
  const auto is_large = [&](const Group& group) { return (group.*within).has_value(); };
  return std::ranges::any_of(groups, is_large) && std::ranges::all_of(groups, [&](const Group& group) {
           return !is_large(group) || (group.*within)->can_pay();
         });
}

/// What all ranks of a communicator spend on agreeing, by MPI collectives, who is in which group, and whether all are
/// open.
[[nodiscard]] double agreement_s(const Paths& paths, const Placement& placement, const HostCosts& hosts);

/// Time O(groups * (groups + channels) + ranks * log(nodes)). Throws std::invalid_argument where the placement does not
/// fit.
[[nodiscard]] GroupedCosts grouped_costs(const Paths& paths, const Placement& placement, const Multicast& multicast,
                                         const HostCosts& hosts = usual_host_costs());

/// One after another: operands up the confirm tree to those that send, the slowest group; among these up and down, or
/// over to the other one and down; the result in the slowest group, as any message there.
struct GroupedResultCosts final : CostFunction {
  std::vector<TreeCosts> up{};         ///< of each group of several ranks
  std::optional<TreeCosts> between{};  ///< of those that send; none: there is one
  GroupedCosts down{};                 ///< what its groups take within

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const override;
  [[nodiscard]] bool can_pay() const override { return down.can_pay(); }
  [[nodiscard]] double opening_s() const override { return down.opening_s(); }
};

/// Throws std::invalid_argument where the placement does not fit.
[[nodiscard]] GroupedResultCosts grouped_result_costs(const Paths& paths, const Placement& placement,
                                                      const Multicast& multicast,
                                                      const HostCosts& hosts = usual_host_costs());

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
  std::vector<DatagramWay> ways{};  ///< between the first ranks of two groups
  double busiest_byte_s = 0.0;      ///< for each byte of one rank's block: seconds on the busiest channel
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
