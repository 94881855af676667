// SPDX-License-Identifier: Apache-2.0
// The proof a plan needs before it is executed, written or generated.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "network/cluster.hpp"
#include "plan/collective.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// A plan that does not bring the whole message to every rank, each part once.
class InvalidPlan : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Replays the tree from its root. Throws InvalidPlan naming the rank where a parent or a child is out of range,
/// a rank is reached twice or never, or `parent` and `children` disagree.
void check_tree(const Tree& tree);

/// The same for each of the trees of one plan, of which there must be one, all over the same ranks from the same root.
void check_trees(std::span<const Tree> trees);

/// Replays all ranks. Throws InvalidPlan naming round and rank where a block is sent that is not there, arrives twice
/// or never, an operand is added twice or never, or the two sides of a transfer disagree; and at the end, a rank that
/// lacks what the collective promises. Time and space O(ranks * blocks), times the ranks where operands are added.
void check_rounds(const Rounds& rounds, Collective collective = Collective::bcast);

/// Of whatever kind it is.
void check_plan(const Plan& plan, Collective collective = Collective::bcast);

struct ChannelLoad {
  ChannelId channel;
  std::uint32_t senders;  ///< different ranks whose transfers use the channel
  std::uint32_t room;     ///< so many do not slow each other (plan/room.hpp)
};

struct Contention {
  bool contention_free = true;         ///< no channel is used by more different senders than it has room for
  std::uint32_t max_channel_load = 0;  ///< of the busiest channels; 1-port model: a sender's own transfers count once
  std::uint32_t most_senders = 0;      ///< on any channel, whatever its room
  std::vector<ChannelLoad> busiest;    ///< of the largest load for their room, at most `most`, in channel order
};

/// Loads of all channels when every transfer of the tree is under way at once, as in a filled pipeline
/// (Patarasuk, Faraj, Yuan 2008, section 3), beside their room. Transfers between ranks of one host use no channel.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Tree& tree,
                                       std::size_t most = 8);

/// The same for trees that take segments by turns: each transfer then counts as one part in so many of the message, and
/// the loads are those parts, rounded up. One tree is treated as above.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, std::span<const Tree> trees,
                                       std::size_t most = 8);

/// Of rounds: the most transfers that share a channel in any round.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Rounds& rounds,
                                       std::size_t most = 8);

/// Of a plan of whatever kind.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Plan& plan,
                                       std::size_t most = 8);

}  // namespace trunkline
