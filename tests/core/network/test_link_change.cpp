// SPDX-License-Identifier: Apache-2.0
// Changes of links of a running network, as words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "network/file/cluster_file.hpp"
#include "network/file/link_change.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// h0 - s0 (link 0), h1 - s0, h2 - s1, h3 - s1, s0 - s1 (4), s1 - s2 (5), s2 - s0 (6, slower: not in the tree).
Cluster ring() {
  return parse_cluster(R"(
trunkline: cluster/1
name: ring
defaults: {rate: 10Mbit, latency: 10us}
switches: s[0-2]
hosts:
  - {hosts: "h[0-1]", switch: s0}
  - {hosts: "h[2-3]", switch: s1}
links:
  - between: [s0, s1]
  - between: [s1, s2]
  - {between: [s2, s0], rate: 1Mbit}
)",
                       "ring.yaml");
}

std::vector<ChannelId> changed(const std::vector<std::string>& places) {
  std::vector<std::string> words = places;
  words.emplace_back("down");
  return parse_link_change(ring(), words).channels;
}

TEST(LinkChange, NamesLinksInBothDirectionsOrOne) {
  EXPECT_THAT(changed({"s0-s1"}), ElementsAre(8U, 9U));
  EXPECT_THAT(changed({"s0->s1"}), ElementsAre(8U));
  EXPECT_THAT(changed({"s1->s0"}), ElementsAre(9U));
  EXPECT_THAT(changed({"h[0-1]->s0"}), ElementsAre(0U, 2U));
  EXPECT_THAT(changed({"h0", "h3-s1"}), ElementsAre(0U, 1U, 6U, 7U));
  EXPECT_THAT(changed({"h0", "h0-s0", "h0->s0"}), ElementsAre(0U, 1U));
  EXPECT_THAT(changed({"s2"}), ElementsAre(10U, 11U)) << "what the spanning tree leaves unused does not change";
  EXPECT_THAT(changed({"*"}), SizeIs(12));
}

TEST(LinkChange, ChangesWhatItNamesAndNothingElse) {
  const LinkChange change = parse_link_change(ring(), std::vector<std::string>{"s0-s1", "rate=1Mbit", "loss=5%"});
  const LinkState before{.rate_bps = 10e6,
                         .started_bps = 10e6,
                         .latency_s = 1e-5,
                         .up = false,
                         .impairments = {.loss = 0.5, .duplicate = 0.25}};
  const LinkState after = change.applied_to(before);
  EXPECT_EQ(after.rate_bps, 1e6);
  EXPECT_EQ(after.latency_s, 1e-5);
  EXPECT_FALSE(after.up);
  EXPECT_EQ(after.impairments, (Impairments{.loss = 0.05, .duplicate = 0.25}));
  EXPECT_EQ(change.text(), "s0-s1 rate=1Mbit loss=5%");
}

TEST(LinkChange, ASharesOfARateIsOfTheRateThatItStartedWith) {
  const LinkChange change = parse_link_change(ring(), std::vector<std::string>{"s0-s1", "rate=10%", "up"});
  const LinkState after = change.applied_to({.rate_bps = 1e3, .started_bps = 20e6, .up = false});
  EXPECT_DOUBLE_EQ(after.rate_bps, 2e6);
  EXPECT_TRUE(after.up);
}

TEST(LinkChange, KnowsWhetherFramesAreHarmedEachByItself) {
  const auto impairs = [](const char* setting) {
    return parse_link_change(ring(), std::vector<std::string>{"s0-s1", setting}).impairs();
  };
  EXPECT_TRUE(impairs("loss=1%"));
  EXPECT_TRUE(impairs("jitter=1ms"));
  EXPECT_FALSE(impairs("loss=0%"));
  EXPECT_FALSE(impairs("rate=1Mbit"));
  EXPECT_FALSE(impairs("down"));
}

std::string refused(const std::vector<std::string>& words) {
  try {
    static_cast<void>(parse_link_change(ring(), words));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(LinkChange, WhatIsWrongIsSaid) {
  EXPECT_THAT(refused({"h33", "down"}), HasSubstr("h33 is no host, switch or link of ring (did you mean h3?)"));
  EXPECT_EQ(refused({"h0-s1", "down"}), "no link joins h0 and s1");
  EXPECT_EQ(refused({"h0->h1", "down"}), "no link joins h0 and h1");
  EXPECT_THAT(refused({"h0->q1", "down"}), HasSubstr("q1 is no host, switch or link of ring"));
  EXPECT_EQ(refused({"s0-s2", "down"}),
            "no frame crosses s0-s2: the spanning tree leaves it unused, so nothing would change");
  EXPECT_THAT(refused({"h0", "delay=5ms"}),
              HasSubstr("a link has no \"delay\"; what changes is rate, latency, loss, corrupt, garble, duplicate, "
                        "reorder, reorder_by, jitter, or the word down or up"));
  EXPECT_THAT(refused({"h0", "latncy=5ms"}), HasSubstr("(did you mean latency?)"));
  EXPECT_THAT(refused({"h0", "rate=5"}), HasSubstr("rate: \"5\" has no unit"));
  EXPECT_EQ(refused({"h0", "rate=0%"}), "rate: the rate 0% is below 1bit; a link that fails is down");
  EXPECT_EQ(refused({"h0", "rate=0.5bit"}), "rate: the rate 0.5bit is below 1bit; a link that fails is down");
  EXPECT_EQ(refused({"h0", "latency=2e6s"}), "latency: the time 2e6s is longer than an hour");
  EXPECT_EQ(refused({"h0", "jitter=1e300s"}), "jitter: the time 1e300s is longer than an hour");
  EXPECT_EQ(refused({"h0", "loss=1%", "loss=2%"}), "loss is set twice; keep one");
  EXPECT_EQ(refused({"h0", "down", "up"}), "a link goes up or down once in a change");
  EXPECT_THAT(refused({"rate=1Mbit"}), HasSubstr("no link is named"));
  EXPECT_THAT(refused({"h0"}), HasSubstr("it does not say what changes"));
  EXPECT_THAT(refused({}), HasSubstr("no link is named"));
}

TEST(LinkChange, AreReadSeveralInALine) {
  const auto changes = parse_link_changes(ring(), "h0 rate=1Mbit ;  s0-s1 down");
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].text(), "h0 rate=1Mbit");
  EXPECT_EQ(changes[1].text(), "s0-s1 down");
  EXPECT_THROW(static_cast<void>(parse_link_changes(ring(), "h0 down ;")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(parse_link_changes(ring(), "")), std::invalid_argument);
}

/// Every channel that a pair of nodes names, the slow way.
RC_GTEST_PROP(LinkChange, NamesExactlyTheChannelsBetweenTwoSetsOfNodes, ()) {
  const Cluster cluster(testing::random_parts(5, 12, *rc::gen::inRange(0, 3)));
  const auto nodes = cluster.nodes();
  const auto some = [&] {
    return *rc::gen::unique<std::vector<NodeId>>(
        *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(nodes.size(), 4)),
        rc::gen::inRange<NodeId>(0, static_cast<NodeId>(nodes.size())));
  };
  RC_PRE(nodes.size() > 2);
  const std::vector<NodeId> from = some();
  const std::vector<NodeId> to = some();
  const auto list = [&](const std::vector<NodeId>& ids) {
    std::string text;
    for (const NodeId id : ids) text += (text.empty() ? "" : ",") + nodes[id].name;
    return text;
  };
  const auto in = [](const std::vector<NodeId>& ids, NodeId id) { return std::ranges::find(ids, id) != ids.end(); };
  std::vector<ChannelId> expected;
  for (ChannelId id = 0; id < cluster.channel_count(); ++id) {
    const bool is_there = in(from, cluster.channel_from(id)) && in(to, cluster.channel_to(id));
    if (is_there && cluster.link_of(id).in_tree) expected.push_back(id);
  }
  const std::vector<std::string> words{list(from) + "->" + list(to), "down"};
  if (expected.empty()) {
    RC_ASSERT_THROWS_AS(parse_link_change(cluster, words), std::invalid_argument);
  } else {
    RC_ASSERT(parse_link_change(cluster, words).channels == expected);
  }
}

RC_GTEST_PROP(LinkChange, ReadsBackWhatItWrites, ()) {
  const Cluster cluster = ring();
  const std::vector<std::string> parts{"h0",        "s0-s1", "s1->s0",     "*",          "h[0-3]",
                                       "rate=10%",  "up",    "rate=1Gbit", "latency=0s", "jitter=3ms",
                                       "loss=0.5%", "down",  "garble=1%",  "h9",         "reorder_by=1us",
                                       ";",         "",      "=",          "rate="};
  std::string line;
  for (int i = *rc::gen::inRange(0, 9); i > 0; --i) line += *rc::gen::elementOf(parts) + " ";
  std::vector<LinkChange> changes;
  try {
    changes = parse_link_changes(cluster, line);
  } catch (const std::invalid_argument& refusal) {
    RC_ASSERT(std::string_view(refusal.what()).size() > 10U);
    return;
  }
  std::string text;
  for (const LinkChange& change : changes) text += (text.empty() ? "" : " ; ") + change.text();
  const std::vector<LinkChange> again = parse_link_changes(cluster, text);
  RC_ASSERT(again.size() == changes.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    RC_ASSERT(again[i].channels == changes[i].channels);
    RC_ASSERT(again[i].text() == changes[i].text());
    RC_ASSERT(!again[i].channels.empty());
  }
}

}  // namespace
}  // namespace trunkline
