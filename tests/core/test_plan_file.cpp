// SPDX-License-Identifier: Apache-2.0
// Plan files that are right: what is read from them, and that writing gives the same plan back.
#include "plan/plan_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "networks.hpp"
#include "plan/checker.hpp"
#include "plan/shapes/unaware_linear.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;

void expect_same(const Plan& plan, const Plan& again) {
  RC_ASSERT(again.collective == plan.collective);
  RC_ASSERT(again.shape == plan.shape);
  RC_ASSERT(again.cluster == plan.cluster);
  RC_ASSERT(again.cluster_fingerprint == plan.cluster_fingerprint);
  RC_ASSERT(again.host_of_rank == plan.host_of_rank);
  RC_ASSERT(again.segment_bytes == plan.segment_bytes);
  RC_ASSERT(again.provenance == plan.provenance);
  RC_ASSERT(again.tree.root == plan.tree.root);
  RC_ASSERT(again.tree.parent == plan.tree.parent);
  RC_ASSERT(again.tree.children == plan.tree.children);
}

RC_GTEST_PROP(PlanFile, RoundTrips, ()) {
  const Cluster cluster(testing::random_parts(4, 12));
  const Placement placement = testing::random_placement(cluster, 60);
  const auto ranks = static_cast<Rank>(placement.size());
  Plan plan;
  plan.tree = *rc::gen::arbitrary<bool>() ? testing::random_tree(ranks) : unaware_linear_tree(ranks, ranks / 2);
  plan.shape = *rc::gen::element<std::string>("linear", "unaware-linear", "custom");
  if (*rc::gen::arbitrary<bool>()) {
    plan.cluster = "a cluster: with a # name";
    plan.cluster_fingerprint = *rc::gen::arbitrary<std::uint64_t>();
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
  const Plan plan = parse_plan(R"(
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
  EXPECT_EQ(plan.tree.root, 1U);
  EXPECT_THAT(plan.tree.parent, ElementsAre(1, no_rank, 3, 1));
  EXPECT_THAT(plan.tree.children[1], ElementsAre(3, 0));
}

TEST(PlanFile, ReadsLinesWithRanges) {
  const Plan plan = parse_plan(
      "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 6\nroot: 2\nline: [2-4, 0, 1, 5-5]\n", "x.yaml");
  EXPECT_THAT(plan.tree.parent, ElementsAre(4, 0, no_rank, 2, 3, 1));
  EXPECT_FALSE(plan.segment_bytes);
  EXPECT_FALSE(plan.cluster_fingerprint);
}

TEST(PlanFile, PlacesSeveralRanksAHost) {
  const Plan plan = parse_plan(
      "trunkline: plan/1\ncollective: bcast\nshape: custom\nhosts: [b, a]\nranks_per_host: 2\nroot: 0\nline: [0-3]\n",
      "x.yaml");
  EXPECT_THAT(plan.host_of_rank, ElementsAre("b", "b", "a", "a"));
  EXPECT_THAT(write_plan(plan), ::testing::HasSubstr("hosts: \"b,a\"\nranks_per_host: 2\n"));
}

TEST(PlanFile, OfOneRank) {
  const Plan plan =
      parse_plan("trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 1\nroot: 0\nsends: {}\n", "x.yaml");
  EXPECT_EQ(plan.tree.size(), 1U);
  EXPECT_THAT(write_plan(plan), ::testing::HasSubstr("line: [0]\n"));
}

TEST(PlanFile, StaysReadableForManyRanks) {
  Plan plan;
  plan.shape = "unaware-linear";
  plan.tree = unaware_linear_tree(100'000, 7);
  const std::string text = write_plan(plan);
  EXPECT_THAT(text, ::testing::EndsWith("line: [7-99999, 0-6]\n"));
  EXPECT_EQ(parse_plan(text, "x.yaml").tree.parent, plan.tree.parent);

  std::vector<Rank> order;  // no two neighbours follow each other
  for (Rank first = 0; first < 10; ++first) {
    for (Rank rank = first; rank < 100'000; rank += 10) {
      order.push_back(rank);
    }
  }
  plan.tree = line_through(order);
  const std::string dealt = write_plan(plan);
  EXPECT_EQ(parse_plan(dealt, "x.yaml").tree.parent, plan.tree.parent);
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < dealt.size();) {
    const std::size_t end = dealt.find('\n', begin);
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  EXPECT_LE(longest, 100U);
}

TEST(PlanFile, IsNotWrittenUnlessProven) {
  Plan plan;
  plan.tree = {.root = 0, .parent = {no_rank, no_rank}, .children = {{}, {}}};
  EXPECT_THROW(static_cast<void>(write_plan(plan)), InvalidPlan);
}

}  // namespace
}  // namespace trunkline
