// SPDX-License-Identifier: Apache-2.0
// Times of transfers between ranks by their numbers, as other libraries exchange them: rounds without a plan.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Transfers at once between ranks, each of the same part of the message; `times` rounds alike.
struct Exchange {
  std::vector<std::pair<Rank, Rank>> transfers{};  ///< from, to
  double part = 1.0;
  double times = 1.0;
  double reducing = 0.0;  ///< this part of those times receivers add what comes to their own
};

/// Each of them, those times over.
[[nodiscard]] std::vector<RoundCost> exchange_costs(const Paths& paths, const Placement& placement,
                                                    std::span<const Exchange> exchanges);

/// One exchange after another.
[[nodiscard]] RoundCost exchange_cost(const Paths& paths, const Placement& placement,
                                      std::span<const Exchange> exchanges);

/// A tree in which every rank sends the whole message to all its children at once, so that the copies share its
/// channels and end together: one round of each level. `reduces`: up the tree, each adds its children's.
[[nodiscard]] RoundCost level_cost(const Paths& paths, const Placement& placement, const Tree& tree,
                                   bool reduces = false);

/// The exchanges of other libraries. In round i position p exchanges the whole vector with p xor 2^i. Positions are a
/// power of two of the ranks.
[[nodiscard]] std::vector<Exchange> recursive_doubling(Rank ranks);

/// A barrier: in round i rank p sends to rank (p + 2^i) mod ranks, until word of all has reached all.
[[nodiscard]] std::vector<Exchange> dissemination(Rank ranks);

/// Halves, quarters, ... are reduced; then they are gathered the other way (Rabenseifner).
[[nodiscard]] std::vector<Exchange> halving_and_doubling(Rank ranks);

/// Halves, quarters, ... are reduced, those who are far away first, until each rank has its block.
[[nodiscard]] std::vector<Exchange> halving_of_blocks(Rank ranks);

/// As halving_and_doubling(), to one root, with the gather up a binomial tree: half as many senders in each step.
[[nodiscard]] std::vector<Exchange> halving_and_gather(Rank ranks);

/// Every block goes round twice, summed up the first time.
[[nodiscard]] std::vector<Exchange> twice_round_a_ring(Rank ranks);

/// The whole vector up the tree, the nearest ranks first.
[[nodiscard]] std::vector<Exchange> up_binomial_tree(Rank ranks, Rank root);

/// Every block goes round once. `reducing`: as Exchange has it; the same below.
[[nodiscard]] std::vector<Exchange> round_a_ring(Rank ranks, double reducing);

/// Each rank sends each other one its block, all at the same distance at a time. Of many distances some stand for all.
[[nodiscard]] std::vector<Exchange> at_each_distance(Rank ranks, double reducing);

/// Blocks are gathered: of a power of two of ranks in pairs, by recursive doubling; of any other number as Bruck does
/// it, to the one 1, 2, 4, ... before. All that there is, up to what it lacks.
[[nodiscard]] std::vector<Exchange> doubling_of_blocks(Rank ranks);

/// Blocks of pairs, one of each rank at a time: of a power of two of ranks p exchanges with p xor k, of any other
/// number it sends to p + k, round the end. Of many distances some stand for all.
[[nodiscard]] std::vector<Exchange> pairs_by_turns(Rank ranks);

/// Blocks of pairs: each rank sends the blocks whose way has a bit to the rank that is so much further, bit by bit.
[[nodiscard]] std::vector<Exchange> pairs_by_bruck(Rank ranks);

/// In round i rank p exchanges all that it has with p xor 2^i, where there is such a rank.
[[nodiscard]] std::vector<Exchange> doubling_of_prefixes(Rank ranks);

/// Rank p sends to rank p + 1 once it has received.
[[nodiscard]] std::vector<Exchange> from_rank_to_rank(Rank ranks);

/// Open MPI's for operations in the order of ranks, and for some sizes of all others: the last of ranks in a row is the
/// root of a tree over the others, of which the first half of all are below one child and the rest below the other,
/// which it sends to first. `ranks` is above zero.
[[nodiscard]] Tree in_order_binary_tree(Rank ranks);

}  // namespace trunkline
