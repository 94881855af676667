// SPDX-License-Identifier: Apache-2.0
// Binomial tree over negabinary numbers (Bine): as many sends as a binomial tree, over distances in rank numbers that
// are a third shorter, so fewer cross slow trunks. Cost: log2(P) T(m), times the channel load. Source: De Sensi and
// others, Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality (2025), distances halved.
#pragma once

#include <bit>
#include <vector>

#include "patterns/swung.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Of a power of two of the ranks, numbered from the root on: with n exchanges to come, those that have the message
/// send it 1 - 2 + 4 - ... (n terms) further, even ones up and odd ones down, round the end. Number i beyond that power
/// is a child of i - power. Throws std::invalid_argument where `root` is not below `ranks`.
[[nodiscard]] inline Tree bine_tree(Rank ranks, Rank root) {
  check_root(ranks, root);
  Tree tree = root_alone(ranks, root);
  const Rank active = std::bit_floor(ranks);
  const auto add = [&](Rank parent, Rank child) {
    add_child(tree, absolute(parent, root, ranks), absolute(child, root, ranks));
  };
  std::vector<Rank> have{0};
  for (auto left = static_cast<unsigned>(std::countr_zero(active)); left-- > 0;) {
    for (std::size_t sender = 0, senders = have.size(); sender < senders; ++sender) {
      const Rank to = swung(have[sender], left, active);
      add(have[sender], to);
      have.push_back(to);
    }
  }
  for (Rank number = active; number < ranks; ++number) add(number - active, number);
  return tree;
}

}  // namespace trunkline
