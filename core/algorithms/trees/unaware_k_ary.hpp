// SPDX-License-Identifier: Apache-2.0
// The complete k-ary tree by rank number, blind to the network: what the papers compare against.
#pragma once

#include "patterns/tree.hpp"

namespace trunkline {

/// Relative rank r (root 0) sends to k r + 1, ..., k r + k. Throws std::invalid_argument where `root` is not below
/// `ranks` or k is zero.
[[nodiscard]] Tree unaware_k_ary_tree(Rank ranks, Rank root, unsigned k);

}  // namespace trunkline
