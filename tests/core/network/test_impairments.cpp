// SPDX-License-Identifier: Apache-2.0
// Loss and the like, and what switches do with multicast frames: read, written, and set by a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults.hpp"
#include "network/file/cluster_file.hpp"
#include "network/file/impaired.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using testing::faults_of;
using ::testing::HasSubstr;

constexpr const char* harmful = R"(
trunkline: cluster/1
name: harmful
defaults: {rate: 1Gbit, loss: 1%, igmp: snooping}
switches:
  - s0
  - {switches: "s[1-2]", igmp: querier, igmp_ages: 5s, storm_control: 1000/s, queue: 100kB}
  - switches: a-b
    igmp: flood
hosts:
  - {hosts: "h[0-1]", switch: s0}
  - {hosts: "h[2-3]", switch: s1, loss: 0%, corrupt: 0.1%, garble: 2.5%}
links:
  - {between: [s0, s1], duplicate: 3%, reorder: 4%, reorder_by: 2ms}
  - between: [s1, s2]
  - {between: [s2, a-b], loss: 100%}
)";

Cluster harmful_cluster() { return parse_cluster(harmful, "harmful.yaml"); }

const Link& link_between(const Cluster& cluster, const std::string& a, const std::string& b) {
  for (const Link& link : cluster.links()) {
    const std::string& one = cluster.nodes()[link.a].name;
    const std::string& other = cluster.nodes()[link.b].name;
    if ((one == a && other == b) || (one == b && other == a)) return link;
  }
  throw std::out_of_range(a + " - " + b);
}

std::vector<double> losses(const Cluster& cluster) {
  std::vector<double> all;
  for (const Link& link : cluster.links()) all.push_back(link.impairments.loss);
  return all;
}

void expect_alike(const Cluster& cluster, const Cluster& again) {
  ASSERT_EQ(cluster.links().size(), again.links().size());
  for (std::size_t i = 0; i < cluster.links().size(); ++i) {
    EXPECT_EQ(cluster.links()[i].impairments, again.links()[i].impairments) << i;
  }
  ASSERT_EQ(cluster.nodes().size(), again.nodes().size());
  for (std::size_t i = 0; i < cluster.nodes().size(); ++i) {
    EXPECT_EQ(cluster.nodes()[i].name, again.nodes()[i].name);
    EXPECT_EQ(cluster.nodes()[i].settings, again.nodes()[i].settings) << cluster.nodes()[i].name;
  }
}

TEST(Impairments, AreReadWithTheirDefaults) {
  const Cluster cluster = harmful_cluster();
  EXPECT_EQ(link_between(cluster, "h0", "s0").impairments, Impairments{.loss = 0.01});
  EXPECT_EQ(link_between(cluster, "h2", "s1").impairments, (Impairments{.corrupt = 0.001, .garble = 0.025}));
  EXPECT_EQ(link_between(cluster, "s0", "s1").impairments,
            (Impairments{.loss = 0.01, .duplicate = 0.03, .reorder = 0.04, .reorder_by_s = 0.002}));
  EXPECT_EQ(link_between(cluster, "s2", "a-b").impairments.loss, 1.0);
  EXPECT_EQ(cluster.nodes()[0].settings, SwitchSettings{.igmp = Igmp::snooping});
  EXPECT_EQ(
      cluster.nodes()[2].settings,
      (SwitchSettings{.igmp = Igmp::querier, .igmp_ages_s = 5.0, .storm_control = 1000.0, .queue_bytes = 100'000}));
  EXPECT_EQ(cluster.nodes()[3].settings, SwitchSettings{});
  EXPECT_TRUE(has_impairments(cluster));
  EXPECT_FALSE(has_impairments(unimpaired(cluster)));
}

TEST(Impairments, AreWrittenAsTheyWereRead) {
  const Cluster cluster = harmful_cluster();
  expect_alike(cluster, parse_cluster(write_cluster(cluster), "again.yaml"));
}

TEST(Impairments, ChangeNeitherPlansNorFiles) {
  const Cluster cluster = harmful_cluster();
  EXPECT_EQ(cluster.fingerprint(), unimpaired(cluster).fingerprint());
  EXPECT_THAT(write_cluster(unimpaired(cluster)), HasSubstr("switches: s[0-2],a-b\n"));
}

TEST(Impairments, SwitchesThatSayNothingOfTheirQueuesAreGivenOne) {
  const Cluster cluster = with_queues(harmful_cluster(), 524'288);
  EXPECT_EQ(cluster.nodes()[0].settings.queue_bytes, 524'288U);
  EXPECT_EQ(cluster.nodes()[2].settings.queue_bytes, 100'000U);
}

TEST(Impairments, AreSetEverywhereOrWhereTheyAreNamed) {
  const Cluster cluster = unimpaired(harmful_cluster());
  EXPECT_THAT(losses(impaired(cluster, "loss", "2%")), ::testing::Each(0.02));
  EXPECT_THAT(losses(impaired(cluster, "loss", "h[0-1]=2%")), ElementsAre(0.02, 0.02, 0, 0, 0, 0, 0));
  EXPECT_THAT(losses(impaired(cluster, "loss", "s0=2%")), ElementsAre(0.02, 0.02, 0, 0, 0.02, 0, 0));
  EXPECT_THAT(losses(impaired(cluster, "loss", "s1-s0=2%")), ElementsAre(0, 0, 0, 0, 0.02, 0, 0));
  EXPECT_THAT(losses(impaired(cluster, "loss", "a-b-s2=2%")), ElementsAre(0, 0, 0, 0, 0, 0, 0.02));
  EXPECT_THAT(losses(impaired(cluster, "loss", "h[0-3]-s1=2%")), ElementsAre(0, 0, 0.02, 0.02, 0, 0, 0));
  EXPECT_EQ(impaired(cluster, "storm_control", "500/s").nodes()[0].settings.storm_control, 500.0);
  EXPECT_EQ(impaired(cluster, "igmp", "s[0-1]=querier").nodes()[2].settings.igmp, Igmp::flood);
}

std::string refusal(const char* key, const char* setting) {
  try {
    static_cast<void>(impaired(harmful_cluster(), key, setting));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(Impairments, WhatCannotBeSetIsSaid) {
  EXPECT_EQ(refusal("loss", "5"), "\"5\" has no unit; write one of % after the number, such as 1%");
  EXPECT_EQ(refusal("loss", "101%"), "the share 101% must be from 0% to 100%");
  EXPECT_THAT(refusal("loss", "h33=1%"), HasSubstr("h33 is no host, switch or link of harmful (did you mean h3?)"));
  EXPECT_EQ(refusal("loss", "s0-s2=1%"), "no link joins s0 and s2");
  EXPECT_EQ(refusal("loss", "=1%"), "\"=1%\" names no place before the =");
  EXPECT_THAT(refusal("igmp", "h0=snooping"), HasSubstr("h0 is no switch of harmful"));
  EXPECT_THAT(refusal("igmp", "snoop"), HasSubstr("\"snoop\" is none"));
  EXPECT_THAT(refusal("igmp_ages", "10ms"), HasSubstr("too short"));
  EXPECT_THAT(refusal("queue", "1KiB"), HasSubstr("the queue 1KiB is too short; write 3kB or more, or unknown"));
  EXPECT_THAT(refusal("storm_control", "0/s"), HasSubstr("must be above zero"));
  EXPECT_EQ(refusal("wobble", "1ms"), "no impairment is called wobble");
}

TEST(Impairments, FaultsInAFileHaveTheirPlaces) {
  const std::string file =
      "trunkline: cluster/1\n"
      "name: x\n"
      "defaults: {rate: 1Gbit, loss: 1}\n"
      "switches:\n"
      "  - {switches: s0, igmp: snoping, los: 1%}\n"
      "hosts:\n"
      "  - {hosts: h0, switch: s0, corrupt: 200%}\n";
  EXPECT_THAT(faults_of(parse_cluster, file),
              ElementsAre("3:31: loss: \"1\" has no unit; write one of % after the number, such as 1%",
                          ::testing::StartsWith("5:26: igmp: \"snoping\" is none (did you mean snooping?); write"),
                          ::testing::StartsWith("5:35: "), "7:38: corrupt: the share 200% must be from 0% to 100%"));
}

TEST(Impairments, OfLinksThatBecomeOneAreTheirMean) {
  const Cluster cluster = parse_cluster(R"(
trunkline: cluster/1
name: leaf-spine
defaults: {rate: 1Gbit}
paths: equal-cost
switches: [l0, l1, "spine-[0-1]"]
hosts:
  - {hosts: h0, switch: l0}
  - {hosts: h1, switch: l1}
links:
  - {between: [l0, spine-0], loss: 4%}
  - between: [l0, spine-1]
  - between: [l1, spine-0]
  - between: [l1, spine-1]
)",
                                        "f");
  EXPECT_THAT(losses(cluster), ElementsAre(0, 0, 0.02, 0));
  EXPECT_THAT(losses(impaired(cluster, "loss", "spine-0=2%")), ElementsAre(0, 0, 0.01, 0.01));
  EXPECT_THAT(write_cluster(cluster), HasSubstr("loss: 4%"));
}

}  // namespace
}  // namespace trunkline
