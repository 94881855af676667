// SPDX-License-Identifier: Apache-2.0
// An alltoall in phases without contention on a tree of switches, with words that keep queues of switches from
// overflowing.
//
// Phases are those of Faraj and Yuan (2005): as few as the fullest link has messages to carry, each with one message on
// a link at most, or as many as it has room for. Their construction assigns messages between subtrees by formulas. Here
// each message goes into the first phase that has room for it, in the order of a ring: who is next depth first sends to
// those further and further behind. On 150 random trees of equal rates 149 had as few phases as the fullest link has
// messages, and one had one more (tests/core/algorithms/test_pair_phases.cpp).
//
// Cost: on the fullest link, n T(m) of its n messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/transfer/wire.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// What a port of a shallow switch holds, where nothing is known of it: 64 full frames.
inline constexpr std::uint64_t usual_queue_bytes = 64 * frame_wire_bytes;

/// What a port of the shallowest switch holds; usual_queue_bytes of one of which the cluster file says nothing.
[[nodiscard]] std::uint64_t queue_bytes_of(const Cluster& cluster);

/// The sender's block for the receiver; or a word, which lets the receiver of it go on with its block for `then`.
struct PairMessage {
  Rank from = 0;
  Rank to = 0;
  std::optional<Rank> then{};
};

/// No rank sends two of a round, nor receives two.
using PairRound = std::vector<PairMessage>;

/// A rank has sent at most this many blocks more than it has received since it began to send.
inline constexpr std::uint64_t pair_lead = 6;

/// Who sends to whom, phase by phase, with ranks in that order (depth first over the switches); between phases, words.
/// A message waits for one, by way of the link that has most to carry of those between switches and to hosts that it
/// crosses: its sender hears that an earlier message over that link has come. So no more blocks of `block_bytes` are
/// under way there than `queue_bytes` hold, or eight for each that it has room for. A link whose queue holds the lead
/// of all ranks that send over it has no words. Before its first message over each such link between switches, and
/// its first one to a host, a rank waits for one who has begun: so the last messages of the call before are not joined
/// by too many of this one. Time O(ranks^2 * (path + phases / 64)). Throws std::invalid_argument where the placement
/// does not fit the cluster.
[[nodiscard]] std::vector<PairRound> pair_phases(const Cluster& cluster, const Placement& placement,
                                                 std::span<const Rank> order, std::uint64_t block_bytes,
                                                 std::uint64_t queue_bytes);

}  // namespace trunkline
