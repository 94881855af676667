// SPDX-License-Identifier: Apache-2.0
// Binary and k-ary trees: contention-free on every network, never higher than Algorithm 2, and Algorithm 2 itself
// against the paper's own search over edge sets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "algorithms/trees/bine.hpp"
#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "algorithms/trees/linear.hpp"
#include "algorithms/trees/regions/height_bound.hpp"
#include "algorithms/trees/unaware_k_ary.hpp"
#include "kinds/trees/trees.hpp"
#include "network/file/cluster_file.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

using testing::brute_capacity;
using testing::brute_senders;
using testing::Edge;
using testing::EdgeSet;
using testing::random_parts;
using testing::random_placement;

void expect_contention_free(const Cluster& cluster, const Placement& placement, const Tree& tree, unsigned k) {
  RC_ASSERT(testing::times_reached(tree) == std::vector<int>(placement.size(), 1));
  RC_ASSERT(max_degree(tree) <= k);
  check_tree(tree);
  for (const auto& [edge, senders] : brute_senders(cluster, placement, tree)) {
    RC_ASSERT(senders.size() <= brute_capacity(cluster, placement, edge));
  }
}

RC_GTEST_PROP(KAryTree, LoadsNoChannelTwiceAndIsNeverHigherThanAlgorithm2, ()) {
  const Cluster cluster(random_parts(9, 24));
  const Placement placement = random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto k = *rc::gen::inRange<unsigned>(1, 9);
  const Tree tree = k_ary_tree(cluster, placement, root, k);
  RC_ASSERT(tree.root == root);
  expect_contention_free(cluster, placement, tree, k);
  const Tree plain = algorithm_2_tree(cluster, placement, root, k);
  expect_contention_free(cluster, placement, plain, k);
  RC_ASSERT(height(tree) <= height(plain));
}

RC_GTEST_PROP(KAryTree, LoadsNoChannelTwiceWithOneRankAHost, ()) {
  const Cluster cluster(random_parts(12, 40));
  const Placement placement = block_placement(cluster, 1);
  const auto k = *rc::gen::inRange<unsigned>(2, 4);
  expect_contention_free(cluster, placement, k_ary_tree(cluster, placement, 0, k), k);
}

RC_GTEST_PROP(KAryTree, LoadsNoChannelTwiceOnHundredsOfHosts, ()) {
  const Cluster cluster(random_parts(60, 400));
  const Placement placement =
      *rc::gen::arbitrary<bool>() ? block_placement(cluster, 1) : random_placement(cluster, 600);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto k = *rc::gen::inRange<unsigned>(2, 5);
  const Tree tree = k_ary_tree(cluster, placement, root, k);
  check_tree(tree);
  RC_ASSERT(max_degree(tree) <= k);
  RC_ASSERT(contention_of(cluster, placement, tree).contention_free);
  const std::uint32_t bound = height_bound(cluster, placement, root, k);
  RC_ASSERT(height(tree) >= bound);
}

/// The papers' Algorithm 2, all pairs and edge sets: tree[i][j] over the places i ... j of the line.
class AllPairs {
 public:
  AllPairs(const Cluster& cluster, const Placement& placement, const std::vector<Rank>& order) : size_(order.size()) {
    const auto node = [&](std::size_t place) { return cluster.hosts()[placement[order[place]]]; };
    path_.resize(size_ * size_);
    for (std::size_t u = 0; u < size_; ++u) {
      for (std::size_t v = 0; v < size_; ++v) path_[u * size_ + v] = *testing::brute_path(cluster, node(u), node(v));
    }
    edges_.resize(size_ * size_);
    best_.resize(size_ * size_, 0);
    for (std::size_t length = 2; length <= size_; ++length) {
      for (std::size_t i = 0; i + length <= size_; ++i) fill(i, i + length - 1);
    }
  }

  [[nodiscard]] std::uint32_t height() const { return best_[size_ - 1]; }

 private:
  void fill(std::size_t i, std::size_t j) {
    std::uint32_t& best = best_[i * size_ + j];
    EdgeSet& edges = edges_[i * size_ + j];
    best = best_[(i + 1) * size_ + j] + 1;  // the left child alone
    std::size_t right = 0;
    for (std::size_t k = i + 2; k <= j; ++k) {
      const std::uint32_t high = std::max(best_[(i + 1) * size_ + k - 1], best_[k * size_ + j]) + 1;
      if (high < best && !clash(path_[i * size_ + k], edges_[(i + 1) * size_ + k - 1])) {
        best = high;
        right = k;
      }
    }
    const auto add = [&](const EdgeSet& more) { edges.insert(more.begin(), more.end()); };
    add(path_[i * size_ + i + 1]);
    add(edges_[(i + 1) * size_ + (right != 0 ? right - 1 : j)]);
    if (right != 0) {
      add(path_[i * size_ + right]);
      add(edges_[right * size_ + j]);
    }
  }

  static bool clash(const EdgeSet& a, const EdgeSet& b) {
    return std::ranges::any_of(a, [&](const Edge& edge) { return b.contains(edge); });
  }

  std::size_t size_;
  std::vector<EdgeSet> path_;
  std::vector<EdgeSet> edges_;  ///< of tree[i][j]
  std::vector<std::uint32_t> best_;
};

RC_GTEST_PROP(Algorithm2, IntervalsReplaceEdgeSets, ()) {
  const Cluster cluster(random_parts(8, 14));
  const Placement placement = random_placement(cluster, 18);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const AllPairs paper(cluster, placement, parents_first(linear_tree(cluster, placement, root)));
  RC_ASSERT(height(algorithm_2_tree(cluster, placement, root, 2)) == paper.height());
}

/// Least height of any contention-free tree of degree at most 2, by trying them all level by level.
class Exhaustive {
 public:
  Exhaustive(const Cluster& cluster, const Placement& placement, Rank root) : ranks_(placement.size()), root_(root) {
    for (Rank u = 0; u < ranks_; ++u) {
      for (Rank v = 0; v < ranks_; ++v) {
        path_.push_back(*testing::brute_path(cluster, cluster.hosts()[placement[u]], cluster.hosts()[placement[v]]));
        for (const Edge& edge : path_.back()) capacity_[edge] = brute_capacity(cluster, placement, edge);
      }
    }
  }

  std::uint32_t least() {
    for (std::uint32_t levels = 0;; ++levels) {
      std::vector<std::uint32_t> level(ranks_, none);
      std::vector<int> children(ranks_, 0);
      Owners owners;
      level[root_] = 0;
      if (attach(0, levels, level, children, owners)) return levels;
    }
  }

 private:
  using Owners = std::map<Edge, std::set<Rank>>;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Gives the next rank without a parent one; parents of any level are tried, levels follow at the end.
  bool attach(Rank next, std::uint32_t levels, std::vector<std::uint32_t>& parent, std::vector<int>& children,
              Owners& owners) {
    if (next == ranks_) return low_enough(parent, levels);
    if (next == root_) return attach(next + 1, levels, parent, children, owners);
    for (Rank from = 0; from < ranks_; ++from) {
      if (from == next || children[from] == 2) continue;
      const EdgeSet& path = path_[from * ranks_ + next];
      auto owned = owners;
      for (const Edge& edge : path) owned[edge].insert(from);
      if (!std::ranges::all_of(path, [&](const Edge& edge) { return owned[edge].size() <= capacity_[edge]; })) continue;
      parent[next] = from;
      ++children[from];
      if (attach(next + 1, levels, parent, children, owned)) return true;
      --children[from];
    }
    return false;
  }

  [[nodiscard]] bool low_enough(const std::vector<std::uint32_t>& parent, std::uint32_t levels) const {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      std::uint32_t up = 0;
      for (Rank at = rank; at != root_; at = static_cast<Rank>(parent[at])) {
        if (++up > levels) return false;
      }
    }
    return true;
  }

  std::size_t ranks_;
  Rank root_;
  std::vector<EdgeSet> path_;
  std::map<Edge, std::uint32_t> capacity_;
};

RC_GTEST_PROP(KAryTree, IsNeverHigherForRoomOnTrunks, ()) {
  const Cluster::Parts parts = random_parts(9, 40);
  const Cluster cluster(parts);
  const Cluster narrow(testing::with_room_for_one(parts));
  const Placement placement = random_placement(cluster, 60);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto k = *rc::gen::inRange<unsigned>(2, 5);
  RC_ASSERT(height(k_ary_tree(cluster, placement, root, k)) <= height(k_ary_tree(narrow, placement, root, k)));
}

RC_GTEST_PROP(KAryTree, IsThatOfOneSwitchWhereTrunksHaveRoomForAllOrItsWaysAreShorter, ()) {
  const Cluster::Parts parts = random_parts(9, 40);
  const Cluster cluster(testing::with_fast_trunks(parts));
  const Cluster narrow(testing::with_room_for_one(parts));
  const Placement placement = block_placement(cluster, 1);
  const auto ranks = static_cast<Rank>(placement.size());
  const auto root = *rc::gen::inRange<Rank>(0, ranks);
  const auto k = *rc::gen::inRange<unsigned>(2, 5);
  const Tree tree = k_ary_tree(cluster, placement, root, k);
  expect_contention_free(cluster, placement, tree, k);
  if (height(tree) == height(unaware_k_ary_tree(ranks, 0, k))) return;
  const Tree strict = k_ary_tree(narrow, placement, root, k);  // taken, since the low one's ways are longer
  RC_ASSERT(tree.children == strict.children);
}

RC_GTEST_PROP(KAryTree, IsNoLowerThanTheOptimumAndAtMostOneAboveIt, ()) {
  const Cluster cluster(random_parts(5, 6));
  const Placement placement = random_placement(cluster, 6);
  const std::uint32_t least = Exhaustive(cluster, placement, 0).least();
  const std::uint32_t found = height(k_ary_tree(cluster, placement, 0, 2));
  RC_ASSERT(found >= least);
  RC_ASSERT(height_bound(cluster, placement, 0, 2) <= least);
  RC_ASSERT(found <= least + 1);
}

TEST(KAryTree, OnOneSwitchIsComplete) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  EXPECT_EQ(height(k_ary_tree(cluster, block_placement(cluster, 1), 3, 2)), 4U);
  EXPECT_EQ(height(k_ary_tree(cluster, block_placement(cluster, 1), 3, 3)), 3U);
  EXPECT_EQ(height(k_ary_tree(cluster, block_placement(cluster, 1), 3, 1)), 15U);
  EXPECT_EQ(height(algorithm_2_tree(cluster, block_placement(cluster, 1), 3, 2)), 4U);
}

TEST(KAryTree, RefusesWhatIsOutOfRange) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  EXPECT_THROW(static_cast<void>(k_ary_tree(cluster, {0, 1}, 0, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(k_ary_tree(cluster, {0, 1}, 2, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(k_ary_tree(cluster, {0, 16}, 0, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(unaware_k_ary_tree(4, 0, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(k_nomial_tree(4, 0, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(flat_tree(4, 4)), std::invalid_argument);
}

TEST(KNomialTree, HasItsTextbookForm) {
  const Tree tree = k_nomial_tree(8, 0, 2);
  EXPECT_EQ(tree.children[0], (std::vector<Rank>{4, 2, 1}));
  EXPECT_EQ(tree.children[4], (std::vector<Rank>{6, 5}));
  EXPECT_EQ(tree.children[6], (std::vector<Rank>{7}));
  EXPECT_EQ(k_nomial_tree(9, 0, 3).children[0], (std::vector<Rank>{3, 6, 1, 2}));
  EXPECT_EQ(k_nomial_tree(6, 4, 2).children[4], (std::vector<Rank>{2, 0, 5}));
}

TEST(BineTree, EvenRanksSendUpAndOddOnesDown) {
  const std::vector<std::vector<Rank>> eight{{3, 7, 1}, {}, {}, {4, 2}, {5}, {}, {}, {6}};
  EXPECT_EQ(bine_tree(8, 0).children, eight);
  EXPECT_EQ(bine_tree(10, 2).children[2], (std::vector<Rank>{5, 9, 3, 0}));  // the ninth is below the root
}

/// Of sends of one message by all of 2^n ranks, as a binomial tree has them, the sum of their distances round the end.
TEST(BineTree, SendsAThirdLessFarThanABinomialTree) {
  constexpr Rank ranks = 1024;
  const auto distances = [](const Tree& tree) {
    double sum = 0.0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (rank == tree.root) continue;
      const Rank up = (rank - tree.parent[rank]) % ranks;
      sum += std::min(up, ranks - up);
    }
    return sum;
  };
  EXPECT_NEAR(distances(bine_tree(ranks, 0)) / distances(k_nomial_tree(ranks, 0, 2)), 2.0 / 3.0, 0.025);
}

RC_GTEST_PROP(UnawareTrees, ReachEveryRankOnce, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(1, 70);
  const auto root = *rc::gen::inRange<Rank>(0, ranks);
  const auto k = *rc::gen::inRange<unsigned>(2, 9);
  for (const Tree& tree : {flat_tree(ranks, root), k_nomial_tree(ranks, root, k), unaware_k_ary_tree(ranks, root, k),
                           bine_tree(ranks, root)}) {
    RC_ASSERT(tree.root == root);
    check_tree(tree);
    RC_ASSERT(testing::times_reached(tree) == std::vector<int>(ranks, 1));
  }
  RC_ASSERT(max_degree(unaware_k_ary_tree(ranks, root, k)) <= k);
}

}  // namespace
}  // namespace trunkline
