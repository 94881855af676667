// SPDX-License-Identifier: Apache-2.0
// Plan files that are right: what is read from them, and that writing gives the same plan back.
#include "plan_file/plan_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/trees/unaware_linear.hpp"
#include "kinds/trees/trees.hpp"
#include "network/fingerprint.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/checker.hpp"

namespace trunkline {
namespace {

const Trees& trees_of(const PlanFile& file) { return trunkline::trees_of(file.plan); }

using ::testing::ElementsAre;

void expect_same(const PlanFile& plan, const PlanFile& again) {
  RC_ASSERT(again.collective == plan.collective);
  RC_ASSERT(again.algorithm == plan.algorithm);
  RC_ASSERT(again.cluster == plan.cluster);
  RC_ASSERT(again.cluster_fingerprint == plan.cluster_fingerprint);
  RC_ASSERT(again.topology_fingerprint == plan.topology_fingerprint);
  RC_ASSERT(again.host_of_rank == plan.host_of_rank);
  RC_ASSERT(again.segment_bytes == plan.segment_bytes);
  RC_ASSERT(again.provenance == plan.provenance);
  RC_ASSERT(trees_of(again).size() == trees_of(plan).size());
  for (std::size_t i = 0; i < trees_of(plan).size(); ++i) {
    RC_ASSERT(trees_of(again)[i].root == trees_of(plan)[i].root);
    RC_ASSERT(trees_of(again)[i].parent == trees_of(plan)[i].parent);
    RC_ASSERT(trees_of(again)[i].children == trees_of(plan)[i].children);
    RC_ASSERT(trees_of(again)[i].exchange == trees_of(plan)[i].exchange);
  }
}

/// Older files have the fingerprint of the topology under the other name.
TEST(PlanFile, IsForTheNetworkOfItsFingerprints) {
  const Cluster cluster = testing::star_of_switches(2, 2);
  const Cluster faster = scaled(cluster, 2e10);
  const std::uint64_t topology = topology_fingerprint(cluster);
  const auto is_for_it = [&](std::optional<std::uint64_t> with_rates, std::optional<std::uint64_t> of_topology) {
    PlanFile plan;
    plan.cluster_fingerprint = with_rates;
    plan.topology_fingerprint = of_topology;
    return is_for(plan, cluster);
  };
  ASSERT_EQ(topology, topology_fingerprint(faster));
  EXPECT_TRUE(is_for_it({}, {}));
  EXPECT_TRUE(is_for_it(cluster.fingerprint(), {}));
  EXPECT_TRUE(is_for_it(topology, {}));
  EXPECT_TRUE(is_for_it({}, topology));
  EXPECT_TRUE(is_for_it(cluster.fingerprint(), topology));
  EXPECT_FALSE(is_for_it(faster.fingerprint(), {}));
  EXPECT_FALSE(is_for_it(faster.fingerprint(), topology));
  EXPECT_FALSE(is_for_it({}, cluster.fingerprint()));
  EXPECT_FALSE(is_for_it({}, topology + 1));
}

RC_GTEST_PROP(PlanFile, RoundTrips, ()) {
  const Cluster cluster(testing::random_parts(4, 12));
  const Placement placement = testing::random_placement(cluster, 60);
  const auto ranks = static_cast<Rank>(placement.size());
  PlanFile plan;
  Trees trees{*rc::gen::arbitrary<bool>() ? testing::random_tree(ranks) : unaware_linear_tree(ranks, ranks / 2)};
  plan.algorithm = *rc::gen::element<std::string>("linear", "unaware-linear", "custom");
  for (auto more = *rc::gen::inRange(0, 3); more > 0; --more) {
    const Rank root = trees[0].root;
    trees.push_back(*rc::gen::arbitrary<bool>() ? testing::random_tree(ranks, root) : unaware_linear_tree(ranks, root));
    plan.algorithm = "custom";
  }
  plan.collective =
      *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce, Collective::barrier);
  if (facts_of(plan.collective).direction == Direction::up_and_down) {
    for (Tree& tree : trees) {
      if (*rc::gen::arbitrary<bool>()) tree = testing::with_exchange(tree);
    }
  }
  plan.plan = plan_of(std::move(trees));
  if (*rc::gen::arbitrary<bool>()) {
    plan.cluster = "a cluster: with a # name";
    plan.cluster_fingerprint = *rc::gen::arbitrary<std::uint64_t>();
    if (*rc::gen::arbitrary<bool>()) plan.topology_fingerprint = *rc::gen::arbitrary<std::uint64_t>();
    plan.segment_bytes = *rc::gen::inRange<std::uint64_t>(1, 1U << 20);
    plan.provenance = "line one\nline two";
  }
  if (*rc::gen::arbitrary<bool>()) {
    for (const HostIndex host : placement) {
      plan.host_of_rank.push_back(cluster.nodes()[cluster.hosts()[host]].name);
    }
  }
  const std::string text = write_plan(plan);
  expect_same(plan, parse_plan(text, "written.yaml"));
  RC_ASSERT(write_plan(parse_plan(text, "written.yaml")) == text);
}

TEST(PlanFile, ReadsWhatPeopleWrite) {
  const PlanFile plan = parse_plan(R"(
trunkline: plan/1
collective: bcast
shape: custom
cluster: lab
cluster_fingerprint: "00000000000000ff"
segment: 4KiB
provenance: drawn by hand
hosts: h[0-3]
root: h1
sends:
  h1: [h3, 0]   # hosts and ranks may be mixed
  3: [h2]
)",
                                   "hand.yaml");
  EXPECT_EQ(plan.cluster, "lab");
  EXPECT_EQ(plan.cluster_fingerprint, 255U);
  EXPECT_EQ(plan.segment_bytes, 4096U);
  EXPECT_EQ(plan.provenance, "drawn by hand");
  EXPECT_THAT(plan.host_of_rank, ElementsAre("h0", "h1", "h2", "h3"));
  EXPECT_EQ(trees_of(plan)[0].root, 1U);
  EXPECT_THAT(trees_of(plan)[0].parent, ElementsAre(1, no_rank, 3, 1));
  EXPECT_THAT(trees_of(plan)[0].children[1], ElementsAre(3, 0));
}

TEST(PlanFile, ReadsLinesWithRanges) {
  const PlanFile plan = parse_plan(
      "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 6\nroot: 2\nline: [2-4, 0, 1, 5-5]\n", "x.yaml");
  EXPECT_THAT(trees_of(plan)[0].parent, ElementsAre(4, 0, no_rank, 2, 3, 1));
  EXPECT_FALSE(plan.segment_bytes);
  EXPECT_FALSE(plan.cluster_fingerprint);
}

TEST(PlanFile, PlacesSeveralRanksAHost) {
  const PlanFile plan = parse_plan(
      "trunkline: plan/1\ncollective: bcast\nshape: custom\nhosts: [b, a]\nranks_per_host: 2\nroot: 0\nline: [0-3]\n",
      "x.yaml");
  EXPECT_THAT(plan.host_of_rank, ElementsAre("b", "b", "a", "a"));
  EXPECT_THAT(write_plan(plan), ::testing::HasSubstr("hosts: \"b,a\"\nranks_per_host: 2\n"));
}

TEST(PlanFile, OfSeveralTreesThatTakeTurns) {
  const std::string text = R"(trunkline: plan/1
collective: bcast
shape: two-tree
ranks: 5
hosts: "h[0-4]"
root: 1
# Segments go down these trees by turns. In each: whom each rank sends to, in this order.
trees:
  - sends:
      1: [0]
      0: [4, 2]
      2: [3]
  - line: [1, 2, 3, 0, 4]
)";
  const PlanFile plan = parse_plan(text, "x.yaml");
  ASSERT_EQ(trees_of(plan).size(), 2U);
  EXPECT_THAT(trees_of(plan)[0].parent, ElementsAre(1, no_rank, 0, 2, 0));
  EXPECT_THAT(trees_of(plan)[0].children[0], ElementsAre(4, 2));
  EXPECT_THAT(trees_of(plan)[1].parent, ElementsAre(3, no_rank, 1, 2, 0));
  EXPECT_EQ(trees_of(parse_plan(write_plan(plan), "x.yaml"))[1].parent, trees_of(plan)[1].parent);
  EXPECT_THAT(write_plan(plan), ::testing::EndsWith("root: 1\n"
                                                    "# Segments go down these trees by turns. In each: whom each rank "
                                                    "sends to, in this order.\n"
                                                    "trees:\n"
                                                    "  - sends:\n"
                                                    "      0: [4, 2]\n"
                                                    "      1: [0]\n"
                                                    "      2: [3]\n"
                                                    "  - line: [1-3, 0, 4]\n"));
}

TEST(PlanFile, OfOneRank) {
  const PlanFile plan =
      parse_plan("trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 1\nroot: 0\nsends: {}\n", "x.yaml");
  EXPECT_EQ(trees_of(plan)[0].size(), 1U);
  EXPECT_THAT(write_plan(plan), ::testing::HasSubstr("line: [0]\n"));
}

TEST(PlanFile, StaysReadableForManyRanks) {
  PlanFile plan;
  plan.algorithm = "unaware-linear";
  plan.plan = plan_of(Trees{unaware_linear_tree(100'000, 7)});
  const std::string text = write_plan(plan);
  EXPECT_THAT(text, ::testing::EndsWith("line: [7-99999, 0-6]\n"));
  EXPECT_EQ(trees_of(parse_plan(text, "x.yaml"))[0].parent, trees_of(plan)[0].parent);

  std::vector<Rank> order;  // no two neighbours follow each other
  for (Rank first = 0; first < 10; ++first) {
    for (Rank rank = first; rank < 100'000; rank += 10) {
      order.push_back(rank);
    }
  }
  plan.plan = plan_of(Trees{line_through(order)});
  const std::string dealt = write_plan(plan);
  EXPECT_EQ(trees_of(parse_plan(dealt, "x.yaml"))[0].parent, trees_of(plan)[0].parent);
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < dealt.size();) {
    const std::size_t end = dealt.find('\n', begin);
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  EXPECT_LE(longest, 100U);
}

TEST(PlanFile, IsNotWrittenUnlessProven) {
  PlanFile plan;
  plan.plan = plan_of(Trees{{.root = 0, .parent = {no_rank, no_rank}, .children = {{}, {}}}});
  EXPECT_THROW(static_cast<void>(write_plan(plan)), InvalidPlan);
  plan.plan = Plan();
  EXPECT_THROW(static_cast<void>(write_plan(plan)), std::logic_error);
  plan.plan = plan_of(Trees{unaware_linear_tree(3, 0), unaware_linear_tree(3, 1)});
  EXPECT_THROW(static_cast<void>(write_plan(plan)), InvalidPlan);
  plan.plan = plan_of(Trees{unaware_linear_tree(3, 0), unaware_linear_tree(4, 0)});
  EXPECT_THROW(static_cast<void>(write_plan(plan)), InvalidPlan);
}

}  // namespace
}  // namespace trunkline
