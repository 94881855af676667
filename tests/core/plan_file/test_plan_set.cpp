// SPDX-License-Identifier: Apache-2.0
// Sets of plans: what is written is read back, which plans may stand beside each other, what is said of wrong ones.
#include "plan_file/plan_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "faults.hpp"
#include "kinds/trees/trees.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;
using testing::faults_of;

constexpr std::uint64_t no_bound = std::numeric_limits<std::uint64_t>::max();

PlanFile random_plan() {
  const auto ranks = *rc::gen::inRange<Rank>(1, 6);
  PlanFile plan;
  plan.collective =
      *rc::gen::element(Collective::bcast, Collective::reduce, Collective::allreduce, Collective::barrier);
  plan.algorithm = "custom";
  plan.plan = plan_of({testing::random_tree(ranks, *rc::gen::inRange<Rank>(0, ranks))});
  if (*rc::gen::arbitrary<bool>()) plan.from_bytes = *rc::gen::inRange<std::uint64_t>(0, 40);
  if (*rc::gen::arbitrary<bool>()) {
    plan.below_bytes = plan.from_bytes.value_or(0) + *rc::gen::inRange<std::uint64_t>(1, 40);
  }
  if (*rc::gen::arbitrary<bool>()) plan.segment_bytes = *rc::gen::inRange<std::uint64_t>(1, 5000);
  if (*rc::gen::arbitrary<bool>()) plan.provenance = "- a: [line\nand \"one\"";
  if (*rc::gen::arbitrary<bool>()) {
    plan.cluster = "c";
    plan.cluster_fingerprint = *rc::gen::arbitrary<std::uint64_t>();
  }
  if (*rc::gen::arbitrary<bool>()) {
    const std::string first = *rc::gen::element<std::string>("a", "b");
    for (Rank rank = 0; rank < ranks; ++rank) plan.host_of_rank.push_back(first + std::to_string(rank));
  }
  return plan;
}

/// The slow way: is there a call of one of these sizes that both are for?
bool clash(const PlanFile& a, const PlanFile& b) {
  const bool same_ranks = a.plan.ranks() == b.plan.ranks();
  const bool same_root =
      a.collective == Collective::allreduce || a.collective == Collective::barrier || a.plan.root() == b.plan.root();
  const bool same_hosts = a.host_of_rank.empty() || b.host_of_rank.empty() || a.host_of_rank == b.host_of_rank;
  if (a.collective != b.collective || !same_ranks || !same_root || !same_hosts) return false;
  const auto is_for = [](const PlanFile& one, std::uint64_t bytes) {
    return bytes >= one.from_bytes.value_or(0) && bytes < one.below_bytes.value_or(no_bound);
  };
  for (std::uint64_t bytes = 0; bytes < 100; ++bytes) {
    if (is_for(a, bytes) && is_for(b, bytes)) return true;
  }
  return false;
}

RC_GTEST_PROP(PlanSet, RoundTripsOrNamesThoseThatClash, ()) {
  PlanSet set;
  set.provenance = *rc::gen::element<std::string>("", "tuned: on a Monday");
  const auto plans = *rc::gen::inRange<std::size_t>(1, 6);
  std::size_t clashes = 0;
  for (std::size_t i = 0; i < plans; ++i) {
    PlanFile plan = random_plan();
    clashes += std::ranges::any_of(set.plans, [&](const PlanFile& one) { return clash(one, plan); }) ? 1 : 0;
    set.plans.push_back(std::move(plan));
  }
  const std::string text = write_plans(set);
  RC_CLASSIFY(clashes > 0);
  const auto faults = faults_of(parse_plans, text);
  RC_ASSERT(faults.size() == clashes);
  for (const std::string& fault : faults) {
    RC_ASSERT(fault.find("is for the same calls") != std::string::npos);
  }
  if (clashes > 0) return;
  const PlanSet again = parse_plans(text, "written.yaml");
  RC_ASSERT(write_plans(again) == text);
  RC_ASSERT(again.provenance == set.provenance);
  RC_ASSERT(again.plans.size() == set.plans.size());
  for (std::size_t i = 0; i < plans; ++i) {
    const PlanFile& plan = set.plans[i];
    const PlanFile& read = again.plans[i];
    const auto facts = [](const PlanFile& one) {
      return std::tuple(one.collective, one.algorithm, one.from_bytes, one.below_bytes, one.segment_bytes, one.cluster,
                        one.cluster_fingerprint, one.host_of_rank, one.provenance, trees_of(one.plan).front().children);
    };
    RC_ASSERT(facts(read) == facts(plan));
    RC_ASSERT(read.line > 0U);
  }
}

const std::string set_head = "trunkline: plans/1\nplans:\n";

std::string set_entry(const std::string& more, int ranks = 2) {
  return "  - collective: allreduce\n    shape: custom\n    ranks: " + std::to_string(ranks) +
         "\n    root: 0\n    line: [0-" + std::to_string(ranks - 1) + "]\n" + more;
}

TEST(PlanSet, OfAPlanByItself) {
  const std::string text = "trunkline: plan/1\ncollective: bcast\nshape: custom\nranks: 2\nroot: 0\nline: [0, 1]\n";
  const PlanSet set = parse_plans(text, "f");
  ASSERT_EQ(set.plans.size(), 1U);
  EXPECT_EQ(set.plans[0].line, 0U);
  EXPECT_EQ(write_plan(parse_plan(write_plan(set.plans[0]), "again")), write_plan(set.plans[0]));
  EXPECT_EQ(parse_plan(set_head + set_entry(""), "f").plan.ranks(), 2U);
}

TEST(PlanSet, OneAloneMaySayItsSizesToo) {
  const PlanFile plan = parse_plan(
      "trunkline: plan/1\ncollective: bcast\nfrom: 0B\nbelow: 2KiB\nshape: custom\nranks: 2\nroot: 0\nline: [0, 1]\n",
      "f");
  EXPECT_EQ(plan.from_bytes, 0U);
  EXPECT_EQ(plan.below_bytes, 2048U);
  EXPECT_EQ(sizes_text(plan), "below 2KiB");
  EXPECT_THAT(write_plan(plan), ::testing::HasSubstr("from: 0B\nbelow: 2KiB\n"));
}

const FaultCase set_faults[] = {
    FaultCase{"NoPlans",
              "trunkline: plans/1\n",
              {"1:1: the key plans is missing; give it, such as plans: [{collective: bcast, shape: custom, ...}]"}},
    FaultCase{"EmptyPlans", "trunkline: plans/1\nplans: []\n", {"2:8: a set has 1 to 4096 plans; here are 0"}},
    FaultCase{"NoMapping",
              "trunkline: plans/1\nplans: [3]\n",
              {"2:9: a plan must be a mapping, such as {collective: bcast, shape: custom, ...}; here is a text"}},
    FaultCase{"WithAFormatOfItsOwn",
              set_head + set_entry("    trunkline: plan/1\n"),
              {"8:5: unknown key \"trunkline\"; known here are collective, cluster, cluster_fingerprint, "
               "topology_fingerprint, provenance, segment, from, below, shape, ranks, hosts, ranks_per_host, root, "
               "line, sends, trees, exchange, rounds, multicast"}},
    FaultCase{"NoSizes",
              set_head + set_entry("    from: 1KiB\n    below: 64B\n"),
              {"9:12: no size is from 1KiB on and below 64B; give a larger one"}},
    FaultCase{"BelowNothing",
              set_head + set_entry("    below: 0B\n"),
              {"8:12: no size is from 0B on and below 0B; give a larger one"}},
    FaultCase{"SizesWithoutUnit",
              set_head + set_entry("    from: 12\n"),
              {"8:11: \"12\" has no unit; write one of B, KiB, MiB, GiB, kB, MB, GB after the number, such as 4KiB"}},
    FaultCase{
        "TheSameCalls",
        set_head + set_entry("    below: 1KiB\n") + set_entry("    from: 1KiB\n") + set_entry("    from: 1023B\n"),
        {"15:5: the plan in line 3 is for the same calls, below 1KiB; keep one, or give each its own sizes (from, "
         "below), hosts or root"}},
    FaultCase{"AllFaultsOfAllPlans",
              set_head + "  - collective: bcast\n    shape: custom\n    ranks: 2\n    root: 0\n    line: [0, 0]\n" +
                  set_entry("    segment: 0B\n"),
              {"7:15: rank 0 sends to itself", "13:14: a segment must be above zero"}},
    FaultCase{"MoreRanksThanAreHeld",
              set_head + set_entry("", 600000) + set_entry("", 500000),
              {"8:5: the plans up to this one have 1100000 ranks together; at most 1000000 are allowed in one set: "
               "leave some out"}},
};

class SetFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(SetFaults, AreSaidExactly) { EXPECT_EQ(faults_of(parse_plans, GetParam().yaml), GetParam().faults); }

INSTANTIATE_TEST_SUITE_P(All, SetFaults, ::testing::ValuesIn(set_faults), case_name);

TEST(PlanSet, IsRefusedWhereOnePlanIsWanted) {
  EXPECT_EQ(faults_of(parse_plan, set_head + set_entry("    below: 8B\n") + set_entry("    from: 8B\n")),
            std::vector<std::string>{
                "9:5: the second plan of a set, and one plan is wanted here; put that one into a file of its own"});
}

}  // namespace
}  // namespace trunkline
