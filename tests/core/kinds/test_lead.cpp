// SPDX-License-Identifier: Apache-2.0
#include "plan/lead.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "algorithms/registry.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::one_switch;
using testing::random_tree;

struct Step {
  std::size_t to;
  bool turns;
};

/// From each inner rank of each tree (tree * ranks + rank): who waits for what it gets through.
std::vector<std::vector<Step>> steps_of(const Trees& trees) {
  const std::size_t ranks = trees.front().size();
  const auto is_inner = [&](std::size_t tree, Rank rank) {
    return rank != trees[tree].root && !trees[tree].children[rank].empty();
  };
  std::vector<std::vector<Step>> steps(trees.size() * ranks);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (!is_inner(t, rank)) continue;
      for (std::size_t u = 0; u < trees.size(); ++u) {
        if (u != t && !trees[u].children[rank].empty()) continue;
        const Rank above = trees[u].parent[rank];
        if (above != no_rank && is_inner(u, above)) steps[t * ranks + rank].push_back({u * ranks + above, u != t});
      }
    }
  }
  return steps;
}

/// Over all circles that pass no place twice.
double by_search(const Trees& trees) {
  const auto steps = steps_of(trees);
  std::vector<bool> passed(steps.size(), false);
  double most = 0.0;
  const auto walk = [&](const auto& self, std::size_t start, std::size_t at, int hops, int turns) -> void {
    passed[at] = true;
    for (const Step& step : steps[at]) {
      const int turned = turns + (step.turns ? 1 : 0);
      if (step.to == start) {
        if (turned > 0) most = std::max(most, static_cast<double>(hops + 1) / turned);
      } else if (!passed[step.to]) {
        self(self, start, step.to, hops + 1, turned);
      }
    }
    passed[at] = false;
  };
  for (std::size_t start = 0; start < steps.size(); ++start) walk(walk, start, start, 0, 0);
  return most;
}

RC_GTEST_PROP(Lead, IsThatOfTheWorstCircle, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 8);
  Trees trees;
  for (int i = 0; i < *rc::gen::inRange(1, 4); ++i) trees.push_back(random_tree(ranks));
  const double found = hops_for_each_lead(trees);
  const double right = by_search(trees);
  RC_ASSERT(found >= right);
  // Its longest walks have at their ends what is on no circle: each place once at most, of 32 turns.
  RC_ASSERT(found <= right + static_cast<double>(trees.size() * ranks) / 32.0);
  RC_ASSERT((found == 0.0) == (right == 0.0));
}

TEST(Lead, IsNoneWhereOneTreeDoesAll) {
  const Cluster cluster = one_switch(16);
  const Placement placement = block_placement(cluster, 1);
  EXPECT_EQ(hops_for_each_lead(trees_of(lay(Collective::reduce, "binary", &cluster, placement, 0))), 0.0);
  EXPECT_NEAR(hops_for_each_lead(trees_of(lay(Collective::reduce, "two-tree", &cluster, placement, 0))), 3.0, 0.1);
}

}  // namespace
}  // namespace trunkline
