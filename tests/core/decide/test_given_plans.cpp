// SPDX-License-Identifier: Apache-2.0
// Which plan of a file a call takes, and what runs where none is for it.
#include <gtest/gtest.h>

#include <string>

#include "decide/decision.hpp"
#include "network/file/cluster_file.hpp"
#include "network/fingerprint.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

Cluster star() {
  return parse_cluster(
      "trunkline: cluster/1\nname: star\nswitches: s\ndefaults: {rate: 100Mbit}\nhosts: [{hosts: 'h[0-5]', switch: "
      "s}]\n",
      "star.yaml");
}

std::string plan_text(const std::string& collective, int root, const std::string& more) {
  return "  - {collective: " + collective + ", shape: custom, ranks: 4, root: " + std::to_string(root) +
         ", line: " + (root == 0 ? "[0-3]" : "[3, 0-2]") + more + "}\n";
}

PlanSet set_of(const std::string& plans) { return parse_plans("trunkline: plans/1\nplans:\n" + plans, "plans.yaml"); }

struct Given {
  Knowledge knowledge{.cluster = star()};
  Placement placement{0, 1, 2, 3};

  explicit Given(const std::string& plans) {
    knowledge.take_plans(set_of(plans), "plans.yaml");
    knowledge.look_for_short_calls(placement);
  }
  [[nodiscard]] Decision decide(Collective collective, std::uint64_t bytes, Rank root = 0) const {
    return Decider(knowledge, collective, placement, root).decide(bytes, OperandOrder::any, {}, true);
  }
};

TEST(GivenPlans, AreTakenByCollectiveRootAndSize) {
  const Given given(plan_text("allreduce", 0, ", below: 64B") + plan_text("allreduce", 0, ", from: 64B, below: 1KiB") +
                    plan_text("bcast", 0, ", segment: 77B") + plan_text("bcast", 3, ", segment: 88B"));
  using enum Collective;
  EXPECT_EQ(given.decide(allreduce, 4).algorithm, "TRUNKLINE_PLAN 1");
  EXPECT_EQ(given.decide(allreduce, 63).algorithm, "TRUNKLINE_PLAN 1");
  EXPECT_EQ(given.decide(allreduce, 64).algorithm, "TRUNKLINE_PLAN 2");
  EXPECT_EQ(given.decide(allreduce, 64).reason,
            "TRUNKLINE_PLAN fits this communicator and root (custom, line 4, from 64B to below 1KiB)");
  EXPECT_EQ(given.decide(bcast, 8192).segment_bytes, 77U);
  EXPECT_EQ(given.decide(bcast, 8192, 3).segment_bytes, 88U);
  Decider decider(given.knowledge, bcast, given.placement, 3);
  EXPECT_EQ(decider.plan("TRUNKLINE_PLAN 4").root(), 3U);
}

TEST(GivenPlans, LeaveOtherCallsAsTheyWouldRunWithoutAFile) {
  const Given given(plan_text("allreduce", 0, ", below: 64B") + plan_text("bcast", 0, ", from: 4KiB"));
  const Given none(plan_text("reduce", 3, ", below: 4B"));
  Knowledge without{.cluster = star()};
  without.look_for_short_calls(given.placement);
  const auto alone = [&](Collective collective, std::uint64_t bytes, Rank root) {
    return Decider(without, collective, given.placement, root).decide(bytes, OperandOrder::any, {}, true);
  };
  for (const Collective collective : {Collective::bcast, Collective::allreduce, Collective::reduce}) {
    for (const std::uint64_t bytes : {1ULL, 8ULL, 64ULL, 511ULL, 512ULL, 4095ULL, 65536ULL}) {
      for (const Rank root : {0U, 1U}) {
        const Decision expected = alone(collective, bytes, root);
        for (const Given* one : {&given, &none}) {
          const Decision found = one->decide(collective, bytes, root);
          if (is_given(found.algorithm)) continue;
          EXPECT_EQ(found.algorithm, expected.algorithm) << bytes;
          EXPECT_EQ(found.segment_bytes, expected.segment_bytes) << bytes;
          EXPECT_TRUE(found.reason.ends_with(expected.reason)) << found.reason << " | " << expected.reason;
        }
      }
    }
  }
  EXPECT_TRUE(given.decide(Collective::allreduce, 1 << 16)
                  .reason.starts_with("TRUNKLINE_PLAN is for messages of other sizes; "));
  EXPECT_TRUE(given.decide(Collective::reduce, 1 << 16).reason.starts_with("TRUNKLINE_PLAN has no plan of reduce; "));
  EXPECT_TRUE(given.decide(Collective::bcast, 1 << 16, 1)
                  .reason.starts_with("TRUNKLINE_PLAN is for other ranks, hosts or another root; "));
}

TEST(GivenPlans, OfABroadcastGoBelowTheFloorWhereTheySaySo) {
  const Given given(plan_text("bcast", 0, ", from: 16B, below: 32B") +
                    plan_text("bcast", 0, ", from: 32B, below: 40B") + plan_text("bcast", 3, ""));
  EXPECT_TRUE(given.decide(Collective::bcast, 15).algorithm != "TRUNKLINE_PLAN 1");
  EXPECT_EQ(given.decide(Collective::bcast, 16).algorithm, "TRUNKLINE_PLAN 1");
  EXPECT_EQ(given.decide(Collective::bcast, 39).algorithm, "TRUNKLINE_PLAN 2");
  EXPECT_FALSE(is_given(given.decide(Collective::bcast, 511, 3).algorithm));
  EXPECT_EQ(given.decide(Collective::bcast, 512, 3).algorithm, "TRUNKLINE_PLAN 3");
}

TEST(GivenPlans, NameTheirHostsAndAreRefusedTogether) {
  const auto hosts = [](const std::string& names) { return ", hosts: '" + names + "'"; };
  const Given given(plan_text("bcast", 0, hosts("h[0-3]")) + plan_text("bcast", 0, hosts("h[1-4]")));
  EXPECT_EQ(given.decide(Collective::bcast, 8192).algorithm, "TRUNKLINE_PLAN 1");
  const Placement other{1, 2, 3, 4};
  EXPECT_EQ(Decider(given.knowledge, Collective::bcast, other, 0).decide(8192, OperandOrder::any, {}, false).algorithm,
            "TRUNKLINE_PLAN 2");
  Knowledge knowledge{.cluster = star()};
  const PlanSet wrong = set_of(plan_text("bcast", 0, hosts("g[0-3]")) + plan_text("bcast", 3, hosts("h[0-3]")) +
                               plan_text("reduce", 0, ", cluster: old, cluster_fingerprint: '1'") +
                               plan_text("reduce", 3, ", cluster: other, topology_fingerprint: '1'"));
  try {
    knowledge.take_plans(wrong, "plans.yaml");
    FAIL() << "three plans do not fit";
  } catch (const std::invalid_argument& one) {
    EXPECT_STREQ(one.what(),
                 "plans.yaml:3:5: cluster star has no host 'g0'\n"
                 "plans.yaml:5:5: was laid over cluster old as it was, not over star as it is now; lay it again with "
                 "'trunkline plan'\n"
                 "plans.yaml:6:5: was laid over cluster other as it was, not over star as it is now; lay it again with "
                 "'trunkline plan'");
  }
  // Rates are no part of the topology.
  const std::string topology = hexadecimal(topology_fingerprint(star()));
  EXPECT_NO_THROW(knowledge.take_plans(
      set_of(plan_text("reduce", 0, ", cluster: star, topology_fingerprint: '" + topology + "'")), "plans.yaml"));
  // Without a cluster hosts are numbered over all plans.
  Knowledge alone;
  alone.take_plans(set_of(plan_text("bcast", 0, hosts("h[0-3]")) + plan_text("bcast", 0, hosts("h[2-5]"))), "f");
  EXPECT_EQ(alone.plan_hosts.size(), 6U);
  EXPECT_EQ(alone.plans[1].placement, (Placement{2, 3, 4, 5}));
}

TEST(GivenPlans, OfSomeSizesAreNotReproducible) {
  Knowledge knowledge{.cluster = star(), .reproducible = true};
  const auto take = [&](const std::string& more) {
    knowledge.take_plans(set_of(plan_text("allreduce", 0, more)), "plans.yaml");
  };
  EXPECT_NO_THROW(take(""));
  EXPECT_THROW(take(", below: 4KiB"), std::invalid_argument);
  EXPECT_THROW(take(", from: 4B"), std::invalid_argument);
}

TEST(GivenPlans, StandInRulesOfTuningFiles) {
  const Cluster cluster = star();
  const std::string text =
      "trunkline: tuning/1\nentries:\n  - collective: reduce\n    cluster: star\n    cluster_fingerprint: \"" +
      hexadecimal(cluster.fingerprint()) +
      "\"\n    hosts: 3\n    ranks_per_host: [2, 1, 1]\n    mpi: mpich\n    mpi_version: \"4.0.2\"\n    rules:\n"
      "      - from: 0B\n        plan:\n          shape: custom\n          ranks: 4\n          root: 0\n"
      "          sends:\n            0: [2, 1]\n            1: [3]\n"
      "      - {from: 1KiB, algorithm: native}\n";
  Knowledge knowledge{.library = {NativeLibrary::mpich, "mpich", "4.0.2"}, .cluster = cluster};
  knowledge.take_tuning(parse_tuning(text, "tuning.yaml"), "tuning.yaml");
  const auto decide = [&](const Placement& placement, Rank root, std::uint64_t bytes) {
    return Decider(knowledge, Collective::reduce, placement, root).decide(bytes, OperandOrder::any, {}, true);
  };
  const Decision decision = decide({0, 0, 4, 2}, 0, 8);
  EXPECT_EQ(decision.algorithm, "TRUNKLINE_TUNING 1");
  EXPECT_EQ(decision.reason, "the plan of line 13 (custom) holds from 0B on (TRUNKLINE_TUNING)");
  EXPECT_TRUE(decide({0, 0, 4, 2}, 0, 1024).is_native());
  EXPECT_NE(decide({0, 0, 4, 2}, 1, 8).algorithm, decision.algorithm);  // it is from another root
  EXPECT_NE(decide({0, 4, 4, 2}, 0, 8).algorithm, decision.algorithm);  // other ranks by host
  EXPECT_NE(decide({0, 1, 2, 3}, 0, 8).algorithm, decision.algorithm);
}

}  // namespace
}  // namespace trunkline
