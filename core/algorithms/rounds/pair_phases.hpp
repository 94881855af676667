// SPDX-License-Identifier: Apache-2.0
// An alltoall in phases without contention on a tree of switches.
//
// Phases are those of Faraj and Yuan (2005): as few as the fullest link has messages to carry, each with one message on
// a link at most, or as many as it has room for. Their construction assigns messages between subtrees by formulas. Here
// each message goes into the first phase that has room for it, in the order of a ring: who is next depth first sends to
// those further and further behind. On 150 random trees of equal rates 149 had as few phases as the fullest link has
// messages, and one had one more (tests/core/algorithms/test_pair_phases.cpp).
//
// Cost: on the fullest link, n T(m) of its n messages.
#pragma once

#include <span>
#include <vector>

#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// The sender's block for the receiver.
struct PairMessage {
  Rank from = 0;
  Rank to = 0;
};

/// No rank sends two of a round, nor receives two.
using PairRound = std::vector<PairMessage>;

/// Who sends to whom, phase by phase, with ranks in that order (depth first over the switches). Time O(ranks^2 * (path
/// + phases / 64)). Throws std::invalid_argument where the placement does not fit the cluster.
[[nodiscard]] std::vector<PairRound> pair_phases(const Cluster& cluster, const Placement& placement,
                                                 std::span<const Rank> order);

}  // namespace trunkline
