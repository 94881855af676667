// SPDX-License-Identifier: Apache-2.0
#include "decide/changed.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "algorithms/registry.hpp"
#include "decide/decision.hpp"
#include "network/file/cluster_file.hpp"

namespace trunkline {
namespace {

Cluster cluster_of(const std::string& first, const std::string& second, const std::string& link) {
  return parse_cluster(
      "trunkline: cluster/1\nname: pair\nswitches: s[0-1]\ndefaults: {rate: 100Mbit, latency: 10us}\n" +
          ("hosts:\n  - {hosts: \"" + first) + "\", switch: s0}\n  - {hosts: \"" + second +
          "\", switch: s1}\nlinks:\n  - {between: [s0, s1]" + link + "}\n",
      "pair.yaml");
}

TEST(OnChanged, IsTheSameAsIfTheJobHadBegunThere) {
  Knowledge was{.library = {.native = NativeLibrary::openmpi, .name = "openmpi", .version = "5"},
                .cluster = cluster_of("h[0-2]", "h[3-5]", "")};
  was.multicasts = false;
  const Cluster far = cluster_of("h[0-2]", "h[3-5]", ", latency: 20ms, rate: 1Mbit");
  const Knowledge now = on_changed(was, far, {}, "");
  Knowledge begun{.library = was.library, .cluster = far};
  begun.multicasts = false;
  const Placement placement = block_placement(far, 1);
  for (const std::uint64_t bytes : {std::uint64_t{100}, std::uint64_t{8192}, std::uint64_t{1} << 20}) {
    const auto of = [&](const Knowledge& knowledge) {
      return Decider(knowledge, Collective::bcast, placement, 0).decide(bytes, OperandOrder::any, {}, true);
    };
    EXPECT_EQ(of(now).reason, of(begun).reason);
    EXPECT_NE(of(now).reason, of(was).reason);
  }
}

TEST(OnChanged, FindsHostsByTheirNames) {
  const Cluster was = cluster_of("h[0-2]", "h[3-5]", "");
  const Cluster now = cluster_of("h[5,3,1],g", "h[4,2,0]", "");
  EXPECT_EQ(on_changed(Placement{0, 1, 2, 3, 4, 5, 5}, was, now, "f"), (Placement{6, 2, 5, 1, 4, 0, 0}));
}

TEST(OnChanged, NamesHostsThatAreGone) {
  const Cluster was = cluster_of("h[0-2]", "h[3-5]", "");
  const Cluster now = cluster_of("h[0-1]", "h[3-4]", "");
  EXPECT_EQ(on_changed(Placement{0, 1, 3}, was, now, "f"), (Placement{0, 1, 2}));
  try {
    static_cast<void>(on_changed(Placement{5, 0, 2, 5}, was, now, "now.yaml"));
    FAIL() << "two are missing";
  } catch (const std::invalid_argument& wrong) {
    EXPECT_STREQ(wrong.what(), "now.yaml: lacks hosts of this job: h5, h2");
  }
}

TEST(OnChanged, KeepsAPlanThatFitsAndRefusesOneThatDoesNot) {
  const Cluster was = cluster_of("h[0-2]", "h[3-5]", "");
  Knowledge knowledge{.cluster = was};
  PlanFile plan{.collective = Collective::bcast,
                .algorithm = "binary",
                .cluster = "pair",
                .cluster_fingerprint = {},
                .host_of_rank = {"h4", "h0"},
                .plan = lay(Collective::bcast, "binary", &was, {4, 0}, 0),
                .segment_bytes = {},
                .provenance = {}};
  knowledge.take_plan(plan, "plan.yaml");
  EXPECT_EQ(knowledge.plans.at(0).placement, (Placement{4, 0}));
  const Knowledge now = on_changed(knowledge, cluster_of("h[5,4]", "h[3,2,1,0]", ""), {.plans = {plan}}, "plan.yaml");
  ASSERT_EQ(now.plans.size(), 1U);
  EXPECT_EQ(now.plans[0].placement, (Placement{1, 5}));
  const auto lacks_h4 = [&] {
    static_cast<void>(on_changed(knowledge, cluster_of("h[0-2]", "g[3-5]", ""), {.plans = {plan}}, "plan.yaml"));
  };
  EXPECT_THROW(lacks_h4(), std::invalid_argument);
  EXPECT_TRUE(on_changed(knowledge, was, {}, "plan.yaml").plans.empty()) << "plans are those that are given";
}

}  // namespace
}  // namespace trunkline
