// SPDX-License-Identifier: Apache-2.0
// Plans by multicast: a datagram is sent once, to all ranks. Either a root sends; then the others confirm along a tree
// what they have, or their operands come up it before. Or each rank sends in turn.
#pragma once

#include <string>
#include <vector>

#include "network/paths.hpp"
#include "patterns/tree.hpp"
#include "plan/checker.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// Ranks of which one sends the message to the others at once, as those of one site.
struct MulticastGroup {
  std::vector<Rank> ranks{};  ///< the sender first; a group of one rank sends nothing
  double byte_s = 0.0;        ///< its pace, as Multicast has it
};

/// Who sends to all at once. Of a root: along which tree ranks confirm; of all ranks: who sends when.
struct Multicast {
  Tree confirm{};  ///< from the sender, its root: each rank reports to its parent; of no rank where all send
  double byte_s =
      0.0;  ///< pace: seconds for each byte on the wire, of the slowest link on any way from the root; 0: none
  /// Of a reduction: trees with the same root that operands go up, by turns as in plans of trees; none: the confirm
  /// tree.
  std::vector<Tree> reduce{};
  std::vector<Rank> order{};  ///< where each rank sends a block: by turn, the root first; empty: the root alone sends
  Rank at_once = 0;           ///< the rank of turn t sends once it has all blocks of turns up to t - at_once
  /// Where each of several ranks sends to those of its own group alone: all ranks, each in one group. Within a group
  /// the confirm tree says who reports to whom; from one group to the next, between those that send, it carries the
  /// message, as messages. Operands of a reduction go up all of it; its root and the one that sends in another group
  /// may exchange what has come up to each. Where each rank sends a block, the order is that of the groups, one after
  /// another: ranks send to their own group by turn; the first of each sends its group's blocks to the first of all
  /// others, as messages, and theirs to its group. Empty: all are one group.
  std::vector<MulticastGroup> groups{};

  [[nodiscard]] bool goes_by_turns() const { return !order.empty(); }
  [[nodiscard]] bool has_groups() const { return !groups.empty(); }
  [[nodiscard]] std::size_t ranks() const { return goes_by_turns() ? order.size() : confirm.size(); }
  [[nodiscard]] Rank root() const { return goes_by_turns() ? order.front() : confirm.root; }
};

[[nodiscard]] Plan plan_of(Multicast multicast);

/// Throws std::invalid_argument where the plan is of another kind.
[[nodiscard]] const Multicast& multicast_of(const Plan& plan);

/// Null where the plan is of another kind.
[[nodiscard]] const Multicast* find_multicast(const Plan& plan);

/// The pace: seconds for each byte on one link of the slowest channel on any way from the root's host to those of the
/// others; 0 where all ranks are on one host.
[[nodiscard]] double slowest_byte_s(const Paths& paths, const Placement& placement, Rank root);

/// Throws InvalidPlan where the confirm tree is none through all ranks, where turns are not one for each rank or none
/// may send, where groups are not all ranks once or leave a rank without the message (groups.hpp), or a pace is neither
/// 0 nor a rate that a link has (text/quantity.hpp).
void check_multicast(const Multicast& multicast);

/// Of a root: one sender on each channel between its host and any other, since switches copy what comes in once. What
/// ranks confirm is not counted: a report of some 100 bytes for each 16 packets. By turns: as many as may send at once,
/// of those that a channel carries the datagrams of. In groups: one in each for its datagrams, or as many as send at
/// once by turns, and one for each message to another group.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Multicast& multicast,
                                       std::size_t most = 8);

/// Appends the part of a plan file that says who confirms to whom. Throws InvalidPlan.
void write_multicast(std::string& yaml, const Multicast& multicast);

}  // namespace trunkline
