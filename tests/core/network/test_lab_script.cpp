// SPDX-License-Identifier: Apache-2.0
// Scripts of a lab: read, and refused with places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "faults.hpp"
#include "network/file/lab_script.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::FaultCase;
using testing::faults_of;
using testing::one_switch;

std::vector<LabStep> read(const std::string& yaml, const std::string& file) {
  return parse_lab_script(yaml, file, one_switch(4));
}

TEST(LabScript, IsReadStepByStep) {
  const auto steps = read(R"(
trunkline: lab-script/1
description: a link slows down, one fails and returns
steps:
  - at: 0s
    set:
      - {link: [h0-s0, s0->h1], rate: 1 Mbit, loss: 1%}
      - {link: "h[2-3]", latency: 20ms}
  - {at: 1.5s, down: h2}
  - {at: 1.5s, down: [h0, h1], up: h2}
)",
                          "f");
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].at_s, 0.0);
  EXPECT_EQ(steps[0].text(), "h0-s0 s0->h1 rate=1Mbit loss=1% ; h[2-3] latency=20ms");
  EXPECT_EQ(steps[0].changes[0].channels, (std::vector<ChannelId>{0, 1, 3}));
  EXPECT_EQ(steps[1].at_s, 1.5);
  EXPECT_EQ(steps[1].text(), "h2 down");
  EXPECT_EQ(steps[2].text(), "h0 h1 down ; h2 up");
}

class LabScriptFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(LabScriptFaults, HaveTheirPlaces) {
  const std::string head = GetParam().yaml.starts_with("!") ? "" : "trunkline: lab-script/1\nsteps:\n";
  EXPECT_EQ(faults_of(read, head + GetParam().yaml.substr(head.empty() ? 1 : 0)), GetParam().faults);
}

INSTANTIATE_TEST_SUITE_P(
    All, LabScriptFaults,
    ::testing::Values(
        FaultCase{"unknown_link",
                  "  - {at: 1s, set: {link: h7, rate: 1Mbit}}\n",
                  {"3:26: h7 is no host, switch or link of one (did you mean h0?); write h3 for all links of it, "
                   "h[0-3], or s0-s1 for the link between two"}},
        FaultCase{"one_of_several_links", "  - {at: 1s, down: [h0, h1-h2]}\n", {"3:25: no link joins h1 and h2"}},
        FaultCase{"bad_value",
                  "  - at: 1s\n    set: {link: h0, rate: 5, loss: 200%}\n",
                  {"4:27: rate: \"5\" has no unit; write one of bit, kbit, Mbit, Gbit after the number, such as "
                   "100Mbit",
                   "4:36: loss: the share 200% must be from 0% to 100%"}},
        FaultCase{"bad_key",
                  "  - at: 1s\n    set: {link: h0, speed: 5Mbit}\n",
                  {"4:21: unknown key \"speed\"; known here are link, rate, latency, loss, corrupt, garble, duplicate, "
                   "reorder, reorder_by, jitter"}},
        FaultCase{"nothing_set",
                  "  - at: 1s\n    set: {link: h0}\n",
                  {"4:10: it does not say what changes; write {link: s0-s1, rate: 1Mbit}"}},
        FaultCase{"no_link",
                  "  - at: 1s\n    set: {rate: 1Mbit}\n",
                  {"4:10: the key link is missing; give it, such as link: s0-s1"}},
        FaultCase{"no_time", "  - down: h0\n", {"3:5: the key at is missing; give it, such as at: 5s"}},
        FaultCase{"bad_time",
                  "  - {at: soon, down: h0}\n",
                  {"3:10: at: \"soon\" is no time; write a number and a unit (ns, us, ms, s), such as 20us"}},
        FaultCase{"not_in_order",
                  "  - {at: 5s, down: h0}\n  - {at: 4s, up: h0}\n",
                  {"4:10: at: 4s is before the step above, at 5s; steps are in the order of time"}},
        FaultCase{"far_away",
                  "  - {at: 1e9s, down: h0}\n",
                  {"3:10: at: the time 1e9s is later than a month after the start"}},
        FaultCase{"nothing_happens",
                  "  - at: 1s\n",
                  {"3:5: nothing happens in this step; write set: {link: s0-s1, rate: 1Mbit}, down or up"}},
        FaultCase{"step_is_text",
                  "  - later\n",
                  {"3:5: an entry of steps must be a mapping, such as {at: 5s, down: s0-s1}; here is a text"}},
        FaultCase{"another_format",
                  "!trunkline: cluster/1\nsteps: [{at: 1s, down: h0}]\n",
                  {"1:12: a lab-script file is wanted, and this file says it is \"cluster/1\"; the first line should "
                   "be \"trunkline: lab-script/1\""}},
        FaultCase{"no_steps",
                  "!trunkline: lab-script/1\nsteps: []\n",
                  {"2:8: there is no step; write one, such as {at: 5s, down: s0-s1}"}}),
    testing::case_name);

/// What is made of the words of scripts, in whatever order, is read or refused with a place, and what is read can be
/// sent to a network.
RC_GTEST_PROP(LabScript, IsReadOrRefusedWithAPlace, ()) {
  const std::vector<std::string> tokens{
      "at", "set", "down", "up", "link",  "rate", "loss", ": ", ":",   "- ",    "\n", "\n  ", "\n    ", "{",  "}", "[",
      "]",  ", ",  "h0",   "s0", "h0-s0", "->",   "*",    "1s", "5ms", "1Mbit", "3%", "\"",   "steps",  "&a", "'"};
  std::string yaml = "trunkline: lab-script/1\nsteps:\n  - at: 1s\n    ";
  for (int i = *rc::gen::inRange(0, 30); i > 0; --i) yaml += *rc::gen::elementOf(tokens);
  const Cluster cluster = one_switch(4);
  try {
    for (const LabStep& step : parse_lab_script(yaml, "f", cluster)) {
      RC_ASSERT(step.at_s >= 0.0);
      RC_ASSERT(parse_link_changes(cluster, step.text()).size() == step.changes.size());
    }
  } catch (const FaultyFile& faulty) {
    RC_ASSERT(!faulty.faults().empty());
    RC_ASSERT(faulty.faults().front().line > 0U);
  }
}

}  // namespace
}  // namespace trunkline
