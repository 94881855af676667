// SPDX-License-Identifier: Apache-2.0
// Reductions of other libraries as exchanges between ranks by their numbers, one after another.
#pragma once

#include <vector>

#include "model/native/exchanges.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// In round i position p exchanges the whole vector with p xor 2^i. Positions are a power of two of the ranks.
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

/// Open MPI's for operations in the order of ranks, and for some sizes of all others: the last of ranks in a row is the
/// root of a tree over the others, of which the first half of all are below one child and the rest below the other,
/// which it sends to first. `ranks` is above zero.
[[nodiscard]] Tree in_order_binary_tree(Rank ranks);

}  // namespace trunkline
