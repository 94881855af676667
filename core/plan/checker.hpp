// SPDX-License-Identifier: Apache-2.0
// The proof a plan needs before it is executed, written or generated.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "collective/collective.hpp"
#include "network/cluster.hpp"
#include "patterns/tree.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// A plan that does not bring the whole message to every rank, each part once.
class InvalidPlan : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Of whatever kind it is. Throws InvalidPlan.
void check_plan(const Plan& plan, Collective collective = Collective::bcast);

struct ChannelLoad {
  ChannelId channel;
  std::uint32_t senders;   ///< different ranks whose transfers use the channel
  std::uint32_t capacity;  ///< senders that do not slow each other (network/capacity.hpp)
};

struct Contention {
  bool contention_free = true;         ///< no channel is used by more different senders than it has room for
  std::uint32_t max_channel_load = 0;  ///< of the busiest channels; 1-port model: a sender's own transfers count once
  std::uint32_t most_senders = 0;      ///< on any channel, whatever its capacity
  std::vector<ChannelLoad> busiest;    ///< of the largest load for their capacity, at most `most`, in channel order
};

/// From the loads of all channels in units of 1 / `parts`, rounded up, and the capacity for these ranks. `most` of the
/// busiest are named.
[[nodiscard]] Contention busiest_of(const std::vector<std::uint32_t>& parts_on, std::uint32_t parts,
                                    const Cluster& cluster, const Placement& placement, std::size_t most);

/// Of a plan of whatever kind.
[[nodiscard]] Contention contention_of(const Cluster& cluster, const Placement& placement, const Plan& plan,
                                       std::size_t most = 8);

/// Throws std::invalid_argument where the placement is of another number of ranks than the plan, or does not fit the
/// cluster.
void check_fit(const Cluster& cluster, const Placement& placement, std::size_t ranks, Rank root);

/// Replays the tree from its root. Throws InvalidPlan naming the rank where a parent or a child is out of range,
/// a rank is reached twice or never, or `parent` and `children` disagree, or where the root exchanges with a rank that
/// is not one of its children.
void check_tree(const Tree& tree);

/// For a tree that data go one way only. Throws InvalidPlan where it has an exchange.
void check_no_exchange(const Tree& tree);

}  // namespace trunkline
