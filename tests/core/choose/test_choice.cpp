// SPDX-License-Identifier: Apache-2.0
#include "choose/choose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "algorithms/registry.hpp"
#include "choices.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/native/rules.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

using testing::facts_of;
using testing::line_of_switches;
using testing::one_switch;

TEST(Choice, LeavesTheShortestMessagesToTheLibrary) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml");
  const Alternatives facts =
      alternatives_of(Collective::bcast, cluster, block_placement(cluster, 1), 0, NativeLibrary::mpich);
  EXPECT_EQ(choose(facts, least_bytes - 1, OperandOrder::any, Reach::messages).algorithm, "native");
  EXPECT_NE(choose(facts, least_bytes, OperandOrder::any, Reach::messages).algorithm, "native");
}

TEST(Choice, LongMessagesTakeTwoTreesTheShortestAreNative) {
  for (const auto native : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    for (const Cluster& cluster : {line_of_switches("1"), line_of_switches("8"), one_switch(16)}) {
      const Alternatives facts = facts_of(cluster, native);
      EXPECT_EQ(choose(facts, 1U << 20).algorithm, "two-tree");
      EXPECT_EQ(choose(facts, 1U << 22).algorithm, "two-tree");
    }
  }
  EXPECT_EQ(choose(facts_of(one_switch(16)), 8).algorithm, "native");
  EXPECT_EQ(choose(facts_of(line_of_switches("1")), 8192).algorithm, "two-tree");
}

TEST(Choice, SaysWhatWasPredictedFastestFirst) {
  const Choice choice = choose(facts_of(line_of_switches("1")), 1U << 20);
  ASSERT_GE(choice.predictions.size(), 3U);
  EXPECT_EQ(choice.predictions.front().algorithm, choice.algorithm);
  EXPECT_EQ(choice.predictions.front().segment_bytes, choice.segment_bytes);
  EXPECT_TRUE(std::ranges::is_sorted(choice.predictions, {}, &Prediction::seconds));
  EXPECT_TRUE(choice.reason.starts_with("predicted: two-tree ")) << choice.reason;
}

/// Hosts that share processors, for which rules are others; that alone takes no time.
HostCosts sharing() {
  HostCosts hosts = usual_host_costs();
  hosts.shared_s = 1e-15;
  return hosts;
}

/// A predicted time as it is compared, where all hosts share processors or have their own.
double compared_s(const Prediction& one, bool shares) {
  if (shares && one.algorithm == "linear") return one.seconds * 1.05;
  return shares && one.algorithm.ends_with("two-tree") ? one.seconds * 1.1 : one.seconds;
}

/// The rule in its slow form: every segment of every candidate by its seconds alone, then margins as they are told.
std::vector<Prediction> by_hand(const Alternatives& facts, std::uint64_t bytes, double native_s, bool shares) {
  std::vector<Prediction> all;
  for (const Alternative& one : facts.laid) {
    if (one.by_datagrams) {  // as long as a frame, whatever the segment
      const std::uint64_t segment = one.costs->best_segment(bytes);
      all.push_back({one.candidate->name, segment, one.costs->seconds(bytes, segment)});
      continue;
    }
    Prediction best{one.candidate->name, 0, 1e300};
    for (const std::uint64_t segment : segment_sizes()) {
      const double seconds = one.costs->seconds(bytes, segment);
      if (seconds < best.seconds) best = {one.candidate->name, segment, seconds};
    }
    const std::uint64_t uncut = std::min<std::uint64_t>(bytes, 1408);
    if (shares && bytes <= std::uint64_t{2} * 1408 && best.segment_bytes < uncut) {
      const std::uint64_t whole = *std::ranges::lower_bound(segment_sizes(), uncut);
      if (2.0 * compared_s(best, shares) >= native_s) {
        best = {best.algorithm, whole, one.costs->seconds(bytes, whole)};
      }
    }
    all.push_back(best);
  }
  return all;
}

RC_GTEST_PROP(Choice, IsTheFastestOfAllWhereItSurelyBeatsNative, ()) {
  const Cluster cluster(testing::random_parts(9, 24));
  const Placement placement = testing::random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto library = *rc::gen::element(NativeLibrary::mpich, NativeLibrary::openmpi);
  const auto shares = *rc::gen::arbitrary<bool>();
  if (is_one_host(placement)) return;  // has a rule of its own
  const Alternatives facts =
      alternatives_of(Collective::bcast, cluster, placement, root, library, shares ? sharing() : usual_host_costs());
  for (int i = 0; i < 30 && !facts.laid.empty(); ++i) {
    const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 30));
    const double native_s = native_seconds(facts, bytes);
    std::vector<Prediction> all = by_hand(facts, bytes, native_s, shares);
    const Evaluation evaluation = evaluate(facts, bytes);
    RC_ASSERT(evaluation.native_s == native_s);
    RC_ASSERT(evaluation.rows().size() == all.size());
    std::vector<std::string_view> replayed;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const Evaluated& row = evaluation.rows()[at];
      RC_ASSERT(row.algorithm() == all[at].algorithm);
      RC_ASSERT(row.segment_bytes == all[at].segment_bytes);
      if (row.replayed) {
        all[at].seconds =
            replayed_on(*facts.on, row.algorithm(), bytes, row.segment_bytes, most_events_to_decide)->seconds;
        replayed.push_back(row.algorithm());
      }
      RC_ASSERT(row.seconds == all[at].seconds);
    }
    RC_ASSERT(replayed.size() <= most_finalists);
    RC_ASSERT(!shares || replayed.empty());
    const auto counts_as = [&](const Prediction& one) {
      if (std::ranges::find(replayed, one.algorithm) != replayed.end()) return one.seconds;
      return compared_s(one, shares);
    };
    std::vector<Prediction> may_run = all;
    if (bytes < least_bytes) {
      std::erase_if(may_run, [](const auto& one) {
        return one.algorithm != "multicast" && !one.algorithm.ends_with("-lane-tree");
      });
    }
    std::erase_if(may_run, [&](const auto& one) { return counts_as(one) * 1.15 >= native_s; });
    const auto best = std::ranges::min_element(may_run, {}, counts_as);
    RC_ASSERT((evaluation.runs() != nullptr) == (best != may_run.end()));
    if (best != may_run.end()) RC_ASSERT(evaluation.runs()->algorithm() == best->algorithm);
  }
}

/// Of parts one behind the other the formula takes the ways of one and the links of all; but here parts wait.
TEST(Choice, TakesWhatReplaysSayWhereFormulasAreOff) {
  const Cluster cluster = scaled(read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-4.yaml"), 1e8);
  const Placement placement = block_placement(cluster, 4);
  const Alternatives facts =
      alternatives_of(Collective::allreduce, cluster, placement, 0, NativeLibrary::mpich, host_costs_named("mpich"));
  constexpr std::uint64_t bytes = 65536;
  const auto by_formula = [&](std::string_view algorithm) {
    const auto laid = std::ranges::find(facts.laid, algorithm, [](const auto& one) { return one.candidate->name; });
    return laid->costs->seconds(bytes, laid->costs->best_segment(bytes));
  };
  const Choice choice = choose(facts, bytes, OperandOrder::any, Reach::messages);
  ASSERT_EQ(choice.algorithm, "lane-ring");
  EXPECT_LT(by_formula("staggered-radix"), by_formula("lane-ring"));
  const auto told = std::ranges::find(choice.predictions, "staggered-radix", &Prediction::algorithm);
  ASSERT_NE(told, choice.predictions.end());
  EXPECT_GT(told->seconds, 1.5 * by_formula("staggered-radix"));
}

/// The words of a reason behind the list of times.
std::string rule_of(const std::string& reason) {
  const std::size_t end = reason.find(';');
  return end == std::string::npos ? "" : reason.substr(end);
}

RC_GTEST_PROP(Choice, TellsWhatRuns, ()) {
  const Cluster cluster(testing::random_parts(9, 24));
  const Placement placement = testing::random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto library = *rc::gen::element(NativeLibrary::mpich, NativeLibrary::openmpi);
  const auto collective = static_cast<Collective>(*rc::gen::inRange<std::size_t>(0, collectives().size()));
  const auto order = *rc::gen::element(OperandOrder::any, OperandOrder::by_rank);
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const Alternatives facts = alternatives_of(collective, cluster, placement, root, library, hosts);
  KeptPicks kept;
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 28));
    const auto reach = *rc::gen::element(Reach::datagrams, Reach::messages);
    const Pick quick = pick(facts, bytes, order, reach);
    const Choice choice = choose(facts, bytes, order, reach);
    RC_ASSERT(quick.algorithm == choice.algorithm);
    RC_ASSERT(quick.segment_bytes == choice.segment_bytes);
    for (int again = 0; again < 2; ++again) {
      const Pick known = kept.pick(facts, bytes, order, reach);
      RC_ASSERT(known.algorithm == quick.algorithm);
      RC_ASSERT(known.segment_bytes == quick.segment_bytes);
    }
    if (facts.laid.empty()) continue;
    const auto listed = std::ranges::find(choice.predictions, choice.algorithm, &Prediction::algorithm);
    RC_ASSERT(listed != choice.predictions.end());
    RC_ASSERT(listed->segment_bytes == choice.segment_bytes);
    const std::string rule = rule_of(choice.reason);
    for (const Prediction& one : choice.predictions) {
      if (one.algorithm == "native") {
        RC_ASSERT(one.seconds == native_seconds(facts, bytes));
        continue;
      }
      const auto laid =
          std::ranges::find(facts.laid, one.algorithm, [](const auto& any) { return any.candidate->name; });
      const double by_formula = laid->costs->seconds(bytes, one.segment_bytes);
      if (one.seconds == by_formula) {
        RC_ASSERT(bytes < least_bytes || choice.reason.find(std::string(one.algorithm) + " ") != std::string::npos);
        continue;
      }
      RC_ASSERT(facts.on != nullptr);
      RC_ASSERT(one.seconds ==
                replayed_on(*facts.on, one.algorithm, bytes, one.segment_bytes, most_events_to_decide)->seconds);
      RC_ASSERT(bytes < least_bytes || choice.reason.find(std::string(one.algorithm) + " ") != std::string::npos);
    }
    for (const Alternative& one : facts.laid) {
      const std::string_view name = one.candidate->name;
      if (std::ranges::find(choice.predictions, name, &Prediction::algorithm) != choice.predictions.end()) continue;
      RC_ASSERT(choice.reason.find(std::string(name) + " ") == std::string::npos);
    }
    for (const char* const words : {"ring of short", "exchanges"}) {
      RC_ASSERT(!facts_of(collective).has_root || rule.find(words) == std::string::npos);
    }
  }
}

TEST(Choice, ListsTheTimeOfTheSegmentThatRuns) {
  // Here short segments are faster, but not surely enough; what is cut by other rules has no part in it.
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/paper-1.yaml");
  const Alternatives facts =
      alternatives_of(Collective::reduce, cluster, block_placement(cluster, 1), 0, NativeLibrary::openmpi, sharing());
  const Choice choice = choose(facts, 724);
  const Prediction& first = choice.predictions.front();
  EXPECT_EQ(first.algorithm, choice.algorithm);
  EXPECT_EQ(first.segment_bytes, choice.segment_bytes);
  EXPECT_GE(first.segment_bytes, 724U);
  EXPECT_EQ(choice.reason.find("rounds"), std::string::npos) << choice.reason;
  EXPECT_NE(choice.reason.find("; not cut within a frame"), std::string::npos) << choice.reason;
}

TEST(Choice, SendsMoreMessagesThanNativeWhereThatIsSurelyFaster) {
  // As measured on the lab: one switch, 16 hosts at 30 Mbit/s.
  const Cluster cluster = scaled(one_switch(16), 30e6);
  const Placement placement = block_placement(cluster, 1);
  const auto chosen = [&](Collective collective, std::uint64_t bytes) {
    const Choice choice =
        choose(alternatives_of(collective, cluster, placement, 0, NativeLibrary::openmpi, sharing(), false), bytes);
    EXPECT_GT(choice.predictions.back().seconds, choice.predictions.front().seconds);
    return choice;
  };
  for (const std::uint64_t bytes : {512U, 1024U, 1400U}) {
    const Choice short_one = chosen(Collective::bcast, bytes);
    EXPECT_TRUE(short_one.segment_bytes == 0 || short_one.segment_bytes >= bytes) << bytes;
  }
  for (const std::uint64_t bytes : {1024U, 2048U, 3072U}) {
    const Choice exchanged = chosen(Collective::allreduce, bytes);
    EXPECT_EQ(exchanged.predictions.front().algorithm, "halving-doubling");
    EXPECT_EQ(exchanged.algorithm, "native") << bytes;
    EXPECT_NE(exchanged.reason.find(" must be 1.75 times as fast as native: its exchanges"), std::string::npos)
        << exchanged.reason;
  }
  EXPECT_LT(choose(facts_of(cluster, NativeLibrary::openmpi), 8192).segment_bytes, 1408U);
}

TEST(Choice, IsARingNearTheLeastHoweverFastNativeIsPredicted) {
  const Cluster cluster = one_switch(16);
  HostCosts hosts = sharing();
  hosts.shares_wire = false;  // else what native announces waits behind others
  const Alternatives facts =
      alternatives_of(Collective::allreduce, cluster, block_placement(cluster, 1), 0, NativeLibrary::mpich, hosts);
  EXPECT_EQ(choose(facts, 64U << 10U).algorithm, "ring");
  const Choice long_one = choose(facts, 1U << 20U);
  EXPECT_EQ(long_one.algorithm, "ring");
  EXPECT_LT(native_seconds(facts, 1U << 20U), 1.15 * long_one.predictions.front().seconds);
  EXPECT_NE(long_one.reason.find("; hardly more than the least that the links allow"), std::string::npos);
  EXPECT_EQ(choose(facts, 16U << 10U).algorithm, "native");
}

/// Lab, MPICH 4, 8 hosts of 4 ranks at 20 Mbit/s, 1 MiB: a ring in lanes takes 1.44 s in whole blocks, 0.83 s in pieces
/// that leave at once; halving and doubling 1.69 and 1.12 s. Open MPI: 4 MiB by a ring in lanes, 4.6 s in whole blocks.
TEST(Choice, CutsExchangesSoThatTheyLeaveAtOnce) {
  const Cluster cluster = one_switch(16);
  const Placement placement = block_placement(cluster, 4);
  for (const char* const name : {"lane-ring", "halving-doubling"}) {
    const Plan plan = lay(Collective::allreduce, name, &cluster, placement, 0);
    for (const HostCosts& hosts : {sharing(), usual_host_costs(), host_costs_named("openmpi")}) {
      const Costs costs = costs_of(cluster, placement, plan, Collective::allreduce, hosts);
      const std::uint64_t segment = costs->best_segment(4U << 20U);
      EXPECT_TRUE(hosts.is_eager(segment)) << name << " " << segment;
      EXPECT_GT(segment, hosts.eager_bytes / 2) << name;
    }
    const Costs costs = costs_of(cluster, placement, plan, Collective::allreduce, sharing());
    EXPECT_GT(costs->seconds(4U << 20U, 4U << 20U), 1.3 * costs->seconds(4U << 20U, 15888)) << name;
  }
}

/// Simulated, on three hosts of one switch at 10 Mbit/s a ring takes 3.7 ms for 2 KiB, and others 9.9.
TEST(Choice, TakesRingsOfShortBlocksWhereHostsHaveTheirOwnProcessors) {
  const Cluster cluster = scaled(one_switch(3), 10e6);
  const auto reduced_by = [&](const HostCosts& hosts) {
    return choose(alternatives_of(Collective::allreduce, cluster, block_placement(cluster, 1), 0, NativeLibrary::mpich,
                                  hosts, false),
                  2048)
        .algorithm;
  };
  EXPECT_EQ(reduced_by(usual_host_costs()), "ring");
  EXPECT_NE(reduced_by(sharing()), "ring");
}

TEST(Choice, IsNativeBetweenTwoWhereThatIsAsFast) {
  const Cluster cluster = one_switch(16);
  for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
    const Alternatives facts = alternatives_of(collective, cluster, {0, 1}, 0, NativeLibrary::mpich);
    for (const std::uint64_t bytes : {1U << 20U, 64U << 20U}) EXPECT_EQ(choose(facts, bytes).algorithm, "native");
  }
}

TEST(Choice, RingsPassEveryHopAfterAnother) {
  const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: far\ndefaults: {rate: 1Gbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-2]', switch: s0}\n  - {hosts: h3, switch: s0, latency: 100us}\n",
      "far.yaml");
  const Placement placement = block_placement(cluster, 1);
  const RoundCosts costs =
      round_costs(Paths(cluster), placement, rounds_of(lay(Collective::allgather, "ring", &cluster, placement, 0)));
  EXPECT_NEAR(costs.rounds.latency_s, 3 * (20e-6 + 20e-6 + 110e-6 + 110e-6) / 4, 1e-12);
}

TEST(Choice, RingsHandOnPiecesOfABlock) {
  const Cluster cluster = one_switch(16);
  const Placement placement = block_placement(cluster, 1);
  const Costs costs =
      costs_of(cluster, placement, lay(Collective::allreduce, "ring", &cluster, placement, 0), Collective::allreduce);
  for (const std::uint64_t bytes : {1U << 20U, 4U << 20U, 64U << 20U}) {
    EXPECT_LE(costs->best_segment(bytes), std::max<std::uint64_t>(bytes / 16 / 8, 16384));
  }
}

std::size_t kept_bytes(const TreeCosts& costs) {
  return costs.latest.capacity() * sizeof(TreeCosts::Way) + costs.busiest.capacity() * sizeof(TreeCosts::Work);
}

TEST(Choice, KeepsLittleOfManyRanks) {
  // Switches in a tree of random depth, every link with another rate and latency: whatever may differ between ways
  // does.
  constexpr NodeId switches = 1024;
  constexpr NodeId hosts = 4096;
  std::mt19937 random(7);
  Cluster::Parts parts{.name = "many", .description = "", .nodes = {}, .links = {}};
  const auto link = [&](NodeId a, NodeId b) {
    const double rate = 1e8 * static_cast<double>(1 + random() % 100);
    parts.links.push_back({.a = a, .b = b, .rate_bps = rate, .latency_s = 1e-8 * static_cast<double>(random() % 1000)});
  };
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0) link(id, static_cast<NodeId>(random() % id));
  }
  for (NodeId host = 0; host < hosts; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    link(switches + host, static_cast<NodeId>(random() % switches));
  }
  const Cluster cluster(std::move(parts));
  for (const auto native : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    const Alternatives facts =
        alternatives_of(Collective::bcast, cluster, block_placement(cluster, 1), hosts / 3, native);
    std::size_t bytes =
        sizeof facts + facts.laid.capacity() * sizeof facts.laid[0] + facts.jumps.capacity() * sizeof facts.jumps[0];
    for (const auto& candidate : facts.laid) {
      if (const auto* const trees = dynamic_cast<const TreeCosts*>(&*candidate.costs)) bytes += kept_bytes(*trees);
    }
    EXPECT_LT(bytes, std::size_t{15} << 10U);
  }
}

}  // namespace
}  // namespace trunkline
