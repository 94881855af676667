// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "kinds/trees/trees.hpp"

namespace trunkline {

bool keeps_rank_order(const Tree& tree) {
  struct Below {
    Rank first;
    Rank last;
    Rank count;
  };
  std::vector<Below> below;
  below.reserve(tree.size());
  for (Rank rank = 0; rank < tree.size(); ++rank) below.push_back({rank, rank, 1});
  std::vector<Rank> children_first = parents_first(tree);
  std::ranges::reverse(children_first);
  for (const Rank rank : children_first) {
    const Below& part = below[rank];
    if (part.last - part.first + 1 != part.count) return false;
    if (rank == tree.root) break;
    if (rank == tree.exchange && part.first > 0 && part.last + 1 < tree.size()) return false;
    Below& all = below[tree.parent[rank]];
    all = {std::min(all.first, part.first), std::max(all.last, part.last), all.count + part.count};
  }
  return true;
}

}  // namespace trunkline
