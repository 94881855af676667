// SPDX-License-Identifier: Apache-2.0
// Binomial and k-nomial trees over rank numbers, blind to the network.
#pragma once

#include <functional>
#include <vector>

#include "patterns/tree.hpp"

namespace trunkline {

/// Relative rank r (root 0) hands on to r + j * k^i for every digit position i below its own lowest digit in base k
/// that is not zero, and j = 1 .. k-1; widest distance first. k = 2 is the binomial tree. Cost (k - 1) ceil(log_k P)
/// T(m). Throws std::invalid_argument where `root` is not below `ranks` or k is below 2.
[[nodiscard]] Tree k_nomial_tree(Rank ranks, Rank root, unsigned k);

/// Calls `use(parent, child)` for each send of that tree, without laying it: of a parent in its order, and after the
/// send to it. Throws as that does.
void for_each_k_nomial_send(Rank ranks, Rank root, unsigned k, const std::function<void(Rank, Rank)>& use);

/// Whom the root of that tree sends to, in its order, without laying it. Throws as that does.
[[nodiscard]] std::vector<Rank> k_nomial_children_of_root(Rank ranks, Rank root, unsigned k);

}  // namespace trunkline
