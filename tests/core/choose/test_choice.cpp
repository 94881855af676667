// SPDX-License-Identifier: Apache-2.0
#include "choose/choose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "algorithms/registry.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "algorithms/trees/linear.hpp"
#include "choose/size_class.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/native/native_times.hpp"
#include "model/native/rules.hpp"
#include "model/transfer/wire.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "network/with_speeds.hpp"
#include "networks.hpp"
#include "plan/costs.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

Cluster line_of_switches(const std::string& deal, const std::string& rate = "100Mbit") {
  return parse_cluster(
      "trunkline: cluster/1\nname: test\ndefaults: {rate: " + rate +
          ", latency: 10us}\nswitches: s[0-3]\nhosts:\n  - {hosts: 'h[0-31]', switches: 's[0-3]', deal: " + deal +
          "}\nlinks:\n  - between: [s0, s1]\n  - between: [s1, s2]\n  - between: [s2, s3]\n",
      "test.yaml");
}

Cluster one_switch() {
  return parse_cluster(
      "trunkline: cluster/1\nname: one\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-15]', switch: s0}\n",
      "one.yaml");
}

/// Where nothing is multicast.
Alternatives facts_of(const Cluster& cluster, NativeLibrary native = NativeLibrary::mpich) {
  return alternatives_of(Collective::bcast, cluster, block_placement(cluster, 1), 0, native, usual_host_costs(), false);
}

TreeCosts line_costs(const Cluster& cluster, std::uint32_t ranks_per_host = 1) {
  const Placement placement = block_placement(cluster, ranks_per_host);
  return tree_costs(Paths(cluster), placement, linear_tree(cluster, placement, 0));
}

/// Of a message through both hosts.
double software_s(std::uint64_t bytes) { return 2 * usual_host_costs().handling_s(bytes); }

double per_byte(const TreeCosts& costs) {
  double most = 0.0;
  for (const auto& way : costs.latest) most = std::max(most, way.per_byte_s);
  return most;
}

TEST(Choice, LeavesTheShortestMessagesToTheLibrary) {
  const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml");
  const Alternatives facts =
      alternatives_of(Collective::bcast, cluster, block_placement(cluster, 1), 0, NativeLibrary::mpich);
  EXPECT_EQ(choose(facts, least_bytes - 1, OperandOrder::any, Reach::messages).algorithm, "native");
  EXPECT_NE(choose(facts, least_bytes, OperandOrder::any, Reach::messages).algorithm, "native");
}

TEST(TreeCosts, OfALineAreFormula1) {
  const TreeCosts costs = line_costs(line_of_switches("1"));
  EXPECT_EQ(costs.network_hops, 31U);
  ASSERT_EQ(costs.latest.size(), 1U);
  const double byte_s = 8 / 1e8;
  EXPECT_NEAR(costs.latest[0].per_byte_s, 31 * byte_s, 1e-15);
  EXPECT_NEAR(costs.latest[0].per_frame_byte_s, 34 * byte_s, 1e-15);  // 31 switches of hosts, and 3 trunks more
  EXPECT_NEAR(costs.latest[0].latency_s, 65 * 10e-6, 1e-12);
  EXPECT_DOUBLE_EQ(costs.latest[0].handlings.sends, 31.0);
  EXPECT_DOUBLE_EQ(costs.latest[0].handlings.receives, 31.0);
  EXPECT_DOUBLE_EQ(costs.handlings.sends, 1.0);
  EXPECT_DOUBLE_EQ(costs.handlings.receives, 1.0);
  ASSERT_EQ(costs.busiest.size(), 1U);
  EXPECT_NEAR(costs.busiest[0].per_byte_s, byte_s, 1e-15);
  EXPECT_NEAR(costs.busiest[0].per_ack_byte_s, byte_s, 1e-15);
}

TEST(TreeCosts, OfABinaryTreeAreFormula2) {
  // 0 sends to 1 and 2, 1 to 3: the way to 3 is two first sends, as long as the way to 2, a second one.
  const Cluster cluster = one_switch();
  Tree tree = root_alone(4, 0);
  add_child(tree, 0, 1);
  add_child(tree, 0, 2);
  add_child(tree, 1, 3);
  const TreeCosts costs = tree_costs(Paths(cluster), {0, 1, 2, 3}, tree);
  ASSERT_EQ(costs.latest.size(), 1U);
  EXPECT_NEAR(costs.latest[0].per_byte_s, 2 * 8 / 1e8, 1e-15);
  EXPECT_NEAR(costs.latest[0].per_frame_byte_s, 2 * 8 / 1e8, 1e-15);
  EXPECT_NEAR(costs.latest[0].latency_s, 40e-6, 1e-12);
  EXPECT_NEAR(costs.busiest[0].per_byte_s, 2 * 8 / 1e8, 1e-15);  // the root sends every segment twice
  EXPECT_NEAR(costs.seconds(14080, 1408),
              2 * 1538 * 8 / 1e8 + 2 * 1538 * 8 / 1e8 + 4 * software_s(1538) / 2 + 40e-6 + 9 * (2 * 1538 * 8 / 1e8),
              1e-9);
}

TEST(TreeCosts, SharedChannelsAreSlower) {
  // Two senders across one trunk: in different rounds for the first segment, all the time for the others.
  const Cluster cluster = line_of_switches("8");
  Tree tree = root_alone(4, 0);
  add_child(tree, 0, 1);
  add_child(tree, 0, 2);
  add_child(tree, 1, 3);
  const TreeCosts costs = tree_costs(Paths(cluster), {0, 1, 8, 9}, tree);
  double busiest = 0;
  for (const auto& work : costs.busiest) busiest = std::max(busiest, work.per_byte_s);
  EXPECT_NEAR(busiest, 2 * 8 / 1e8, 1e-15);
  EXPECT_NEAR(per_byte(costs), 3 * 8 / 1e8, 1e-15);  // both cross the trunk in the second round
}

TEST(TreeCosts, TheLastSegmentIsWhatTheOthersLeave) {
  const Cut cut = cut_into(2500, 1000);
  EXPECT_EQ(cut.further, 2.0);
  EXPECT_EQ(cut.segment.bytes, 1000U);
  EXPECT_EQ(cut.last.bytes, 500U);
}

TEST(TreeCosts, RanksOfOneHostNeedNoNetwork) { EXPECT_EQ(line_costs(one_switch(), 4).network_hops, 15U); }

TreeCosts binomial_costs(const Cluster& cluster) {
  const Placement placement = block_placement(cluster, 1);
  return tree_costs(Paths(cluster), placement, k_nomial_tree(static_cast<Rank>(placement.size()), 0, 2));
}

TEST(NativeTimes, BinomialOnOneSwitchIsLogP) {
  EXPECT_NEAR(per_byte(binomial_costs(one_switch())), 4 * 8 / 1e8, 1e-15);
}

TEST(NativeTimes, DealtHostsShareTrunks) {
  // Distances 16, 8, 4 stay below one switch; at distances 2 and 1 eight senders share a trunk.
  EXPECT_NEAR(per_byte(binomial_costs(line_of_switches("1"))), 19 * 8 / 1e8, 1e-15);
  // In blocks of eight, distances 16 and 8 cross trunks alone.
  EXPECT_NEAR(per_byte(binomial_costs(line_of_switches("8"))), 5 * 8 / 1e8, 1e-15);
}

TEST(NativeTimes, RingAllgatherOverDealtHosts) {
  // Scatter: 1/2 + 1/4 + 1/8 below one switch, 8 senders of 1/16 and then of 1/32; ring: 31 rounds of 8 flows of 1/32.
  const Cluster cluster = line_of_switches("1");
  const Placement placement = block_placement(cluster, 1);
  const Plan plan = lay(Collective::bcast, "unaware-scatter-ring", nullptr, placement, 0);
  EXPECT_NEAR(round_costs(Paths(cluster), placement, rounds_of(plan), usual_host_costs(), true).rounds.seconds_per_byte,
              (0.5 + 0.25 + 0.125 + 0.5 + 0.25 + 31 * 8 / 32.0) * 8 / 1e8, 1e-15);
}

TEST(NativeTimes, BlocksThatLieSideBySideAreOneMessage) {
  // Where messages cost most: eight of them one after another, beside the binomial tree's four. By block it were 32.
  const Cluster fast = parse_cluster(
      "trunkline: cluster/1\nname: one\ndefaults: {rate: 100Gbit, latency: 1us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-15]', switch: s0}\n",
      "one.yaml");
  ASSERT_EQ(mpich_bcast(16, 16384), MpichBcast::scatter_doubling);
  const Paths paths(fast);
  const auto times =
      native_times(paths, block_placement(fast, 1), Collective::bcast, 0, NativeLibrary::mpich, usual_host_costs());
  const double tree = binomial_costs(fast).seconds(16384, 16384);
  EXPECT_GT(times->seconds(16384), 1.2 * tree);
  EXPECT_LT(times->seconds(16384), 2.5 * tree);
}

TEST(BlockCosts, OfHostsWithSeveralRanks) {
  // 16 hosts of 4 ranks: distances are 1, 2, 4, ..., 32. A block that is alone goes to the ranks of the root's host in
  // memory; then hosts send four at a time, one for each of their ranks.
  const Cluster cluster = one_switch();
  const Placement placement = block_placement(cluster, 4);
  const HostCosts hosts = host_costs_named("mpich");
  const auto seconds = [&](const Cluster& on, std::uint64_t blocks) {
    const Plan plan = lay(Collective::bcast, "circulant", &on, placement, 0);
    return costs_of(on, placement, plan, Collective::bcast, hosts)->seconds(blocks * 1408, 1408);
  };
  const double frame_s = 1538 * 8 / 1e8;
  const double message_s = 2.0 * hosts.handling_s(1408);
  const double first_s = 2 * 2.0 * hosts.local_handling_s(1408) + 4 * (message_s + 20e-6 + (4 + 1) * frame_s);
  EXPECT_NEAR(seconds(cluster, 1), first_s, 1e-9);
  // Each of the others takes a round: of six, four load each host's link with four blocks, the others with one and two.
  const double delay_s = (20e-6 + frame_s) * (0.25 + 0.5 + 4) / 6;
  EXPECT_NEAR(seconds(cluster, 2) - first_s, frame_s * (1 + 2 + 4 * 4) / 6 + delay_s, 0.03 * frame_s);
  // Where links take no time, ranks that always talk to other hosts set the pace, not the mean of all.
  const Cluster fast = scaled(cluster, 1e15);
  EXPECT_NEAR(seconds(fast, 101) - seconds(fast, 1), 100 * message_s, 1e-6);
}

TEST(BlockCosts, OfOneSwitchAreTheRounds) {
  const Cluster cluster = one_switch();
  const Placement placement = block_placement(cluster, 1);
  const Costs circulant = costs_of(cluster, placement, lay(Collective::bcast, "circulant", &cluster, placement, 0));
  // Ten blocks of a frame to 16 ranks in 4 + 9 rounds. The first one: a frame on the wire, again from the switch,
  // latency, software. Where the wire takes most, each of the others takes that, and its way. Of 16 ranks the root
  // receives nothing, which shortens ways on average.
  const double frame_s = 1538 * 8 / 1e8;
  const double delay_s = (20e-6 + frame_s) * 15 / 16;
  EXPECT_NEAR(circulant->seconds(14080, 1408), 4 * (2 * frame_s + 20e-6 + software_s(1408)) + 9 * (frame_s + delay_s),
              1e-9);
  const Costs ring = costs_of(cluster, placement, lay(Collective::bcast, "scatter-ring", &cluster, placement, 0));
  // 1/2, 1/4, 1/8 and 1/16 of the message, each in one piece, then 15 times one of 16 blocks; the first frame of each
  // is stored at the switch.
  double expected = 15 * (2 * frame_s + 20e-6 + software_s(1408));
  for (const std::uint64_t blocks : {8U, 4U, 2U, 1U}) {
    const std::uint64_t bytes = blocks * 1408;
    expected += 8e-8 * static_cast<double>(wire_bytes(bytes)) + frame_s + 20e-6 + software_s(bytes);
  }
  EXPECT_NEAR(ring->seconds(16 * 1408, 16000), expected, 1e-9);
}

TEST(Segment, FillsAFrameOrFramesAndGrowsWithTheMessage) {
  const TreeCosts costs = line_costs(line_of_switches("1"));
  std::uint64_t last = 0;
  for (std::uint64_t bytes = 1024; bytes <= 1U << 26; bytes *= 2) {
    const std::uint64_t segment = costs.best_segment(bytes);
    if (segment > frame_payload_bytes) {
      EXPECT_EQ((segment + mpi_header_bytes) % frame_payload_bytes, 0U) << bytes;
    }
    EXPECT_GE(segment, last) << bytes;
    EXPECT_LE(segment, 16384U);
    last = segment;
  }
}

TEST(Segment, IsPartOfAFrameWhileStoringItOutweighsTheMessage) {
  // 65 frames are stored on the way: a whole one each time takes longer than 8 KiB do on the wire.
  const TreeCosts costs = line_costs(line_of_switches("1", "20Mbit"));
  EXPECT_LT(costs.best_segment(8192), frame_payload_bytes / 2);
  EXPECT_LT(costs.seconds(8192, costs.best_segment(8192)), 0.5 * costs.seconds(8192, 1408));
  EXPECT_GE(costs.best_segment(1U << 22), frame_payload_bytes);
}

TEST(Choice, LongMessagesTakeTwoTreesTheShortestAreNative) {
  for (const auto native : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    for (const Cluster& cluster : {line_of_switches("1"), line_of_switches("8"), one_switch()}) {
      const Alternatives facts = facts_of(cluster, native);
      EXPECT_EQ(choose(facts, 1U << 20).algorithm, "two-tree");
      EXPECT_EQ(choose(facts, 1U << 22).algorithm, "two-tree");
    }
  }
  EXPECT_EQ(choose(facts_of(one_switch()), 8).algorithm, "native");
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

RC_GTEST_PROP(SizeClass, HoldsSizesThatAreAlike, ()) {
  auto jumps = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 1U << 20U));
  std::ranges::sort(jumps);
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 40));
  const SizeClass found = size_class(bytes, jumps);
  RC_ASSERT(found.least_bytes <= bytes);
  RC_ASSERT(bytes <= found.most_bytes);
  RC_ASSERT(8 * (found.most_bytes - found.least_bytes) < found.least_bytes);
  for (const std::uint64_t end : {found.least_bytes, found.most_bytes}) {
    RC_ASSERT(size_class(end, jumps).index == found.index);
    RC_ASSERT(size_class(end, jumps).least_bytes == found.least_bytes);
  }
  RC_ASSERT(size_class(found.most_bytes + 1, jumps).index > found.index);
  RC_ASSERT(found.least_bytes == 1 || size_class(found.least_bytes - 1, jumps).index < found.index);
  RC_ASSERT(std::ranges::none_of(
      jumps, [&](std::uint64_t jump) { return found.least_bytes < jump && jump <= found.most_bytes; }));
}

TEST(SizeClass, BeginsAtPowersOfTwoAndTheirEighths) {
  for (std::uint64_t octave = 512; octave < std::uint64_t{1} << 40U; octave *= 2) {
    for (std::uint64_t eighth = 8; eighth < 16; ++eighth) {
      EXPECT_EQ(size_class(octave * eighth / 8, {}).least_bytes, octave * eighth / 8);
    }
  }
}

TEST(SizeClass, HasOneNativeAlgorithm) {
  const Cluster cluster = testing::one_switch(16);
  const Alternatives facts = alternatives_of(Collective::bcast, cluster, Placement{0, 1}, 0, {});
  std::uint64_t bytes = least_bytes;
  for (; bytes < std::uint64_t{1} << 27U; bytes = size_class(bytes, facts.jumps).most_bytes + 1) {
    const SizeClass sizes = size_class(bytes, facts.jumps);
    ASSERT_EQ(sizes.least_bytes, bytes);
    for (const Rank ranks : {2U, 4U, 7U, 8U, 16U, 31U, 32U, 64U, 100U, 256U, 1000U, 4096U}) {
      EXPECT_EQ(openmpi_bcast(ranks, bytes), openmpi_bcast(ranks, sizes.most_bytes)) << bytes;
      for (const auto library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
        for (const auto collective : {Collective::reduce, Collective::allreduce}) {
          EXPECT_EQ(native_reduction(library, collective, ranks, bytes),
                    native_reduction(library, collective, ranks, sizes.most_bytes))
              << bytes << " bytes, " << ranks << " ranks";
        }
      }
    }
  }
}

TEST(Choice, SendsMoreMessagesThanNativeWhereThatIsSurelyFaster) {
  // As measured on the lab: one switch, 16 hosts at 30 Mbit/s.
  const Cluster cluster = scaled(one_switch(), 30e6);
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
  const Cluster cluster = one_switch();
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
  const Cluster cluster = one_switch();
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
  const Cluster cluster = scaled(testing::one_switch(3), 10e6);
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
  const Cluster cluster = one_switch();
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
  const Cluster cluster = one_switch();
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

bool is_multicast(const Cluster& cluster, std::uint32_t ranks_per_host, std::uint64_t bytes,
                  const HostCosts& hosts = usual_host_costs()) {
  const Placement placement = block_placement(cluster, ranks_per_host);
  const Alternatives facts = alternatives_of(Collective::bcast, cluster, placement, 0, NativeLibrary::mpich, hosts);
  return pick(facts, bytes).algorithm == "multicast";
}

TEST(Choice, MulticastsWhereLinksAreSlowerThanHosts) {
  for (const char* const rate : {"10Mbit", "100Mbit", "1Gbit"}) {
    for (const std::uint32_t ranks_per_host : {1U, 4U}) {
      for (const std::uint64_t bytes : {1024U, 8192U, 65536U, 1U << 20U}) {
        EXPECT_TRUE(is_multicast(line_of_switches("8", rate), ranks_per_host, bytes)) << rate << " " << bytes;
      }
    }
  }
  for (const char* const rate : {"10Gbit", "25Gbit", "100Gbit"}) {
    for (const std::uint64_t bytes : {1024U, 65536U, 1U << 20U, 1U << 24U}) {
      EXPECT_FALSE(is_multicast(line_of_switches("8", rate), 1, bytes)) << rate << " " << bytes;
    }
  }
}

std::string_view gathered_by(const Cluster& cluster, std::uint64_t share_bytes, Reach reach = Reach::datagrams,
                             Collective collective = Collective::allgather) {
  const Placement placement = block_placement(cluster, 1);
  const Alternatives facts = alternatives_of(collective, cluster, placement, 0, NativeLibrary::mpich);
  return pick(facts, placement.size() * share_bytes, OperandOrder::any, reach).algorithm;
}

TEST(Choice, GathersShortSharesByMulticast) {
  for (const char* const rate : {"10Mbit", "100Mbit", "1Gbit"}) {
    for (const char* const deal : {"1", "8"}) {
      const Cluster cluster = line_of_switches(deal, rate);
      for (const std::uint64_t bytes : {64U, 1024U, 2048U}) EXPECT_EQ(gathered_by(cluster, bytes), "multicast") << rate;
      EXPECT_EQ(gathered_by(cluster, std::uint64_t{1} << 20U), "ring") << rate;
      EXPECT_NE(gathered_by(cluster, 1024, Reach::messages), "multicast");
    }
  }
  EXPECT_NE(gathered_by(line_of_switches("8", "10Gbit"), 1024), "multicast");
}

/// One rank may have all of it: then a multicast by turns is a ring, which nobody has compared.
TEST(Choice, NeverGathersSharesOfAnyLengthByMulticast) {
  const Cluster cluster = line_of_switches("8");
  for (std::uint64_t bytes = 64; bytes <= 1U << 20U; bytes *= 2) {
    EXPECT_NE(gathered_by(cluster, bytes, Reach::datagrams, Collective::allgatherv), "multicast") << bytes;
  }
}

TEST(Choice, MulticastsResultsOfSomeKibibytesOnSlowLinks) {
  const auto reduced_by = [](std::uint64_t bytes, Collective collective, OperandOrder order = OperandOrder::any,
                             const char* rate = "10Mbit") {
    const Cluster cluster = line_of_switches("8", rate);
    const Placement placement = block_placement(cluster, 1);
    const Alternatives facts = alternatives_of(collective, cluster, placement, 0, NativeLibrary::mpich);
    return pick(facts, bytes, order).algorithm;
  };
  EXPECT_EQ(reduced_by(8192, Collective::allreduce), "multicast");
  EXPECT_NE(reduced_by(8192, Collective::allreduce, OperandOrder::by_rank), "multicast");
  EXPECT_NE(reduced_by(8192, Collective::allreduce, OperandOrder::any, "10Gbit"), "multicast");
  for (const std::uint64_t bytes : {512U, 1024U, 65536U, 1U << 20U}) {
    EXPECT_NE(reduced_by(bytes, Collective::allreduce), "multicast") << bytes;
    EXPECT_NE(reduced_by(bytes, Collective::reduce), "multicast") << bytes;
    EXPECT_NE(reduced_by(bytes, Collective::barrier), "multicast") << bytes;
  }
}

TEST(Choice, MulticastsTheShortestMessagesToo) {
  for (const char* const rate : {"10Mbit", "1Gbit"}) {
    const Cluster cluster = line_of_switches("8", rate);
    const Placement placement = block_placement(cluster, 1);
    for (const Collective collective : {Collective::bcast, Collective::allgather}) {
      const Alternatives all = alternatives_of(collective, cluster, placement, 0, NativeLibrary::mpich);
      const Alternatives few = short_alternatives_of(collective, cluster, placement, 0, NativeLibrary::mpich);
      KeptPicks kept;
      EXPECT_EQ(few.laid.size(), 1U);
      for (std::uint64_t bytes = 8; bytes < least_bytes; bytes += 63) {
        EXPECT_EQ(choose(all, bytes).algorithm, "multicast") << bytes;
        EXPECT_EQ(pick(few, bytes).algorithm, "multicast") << bytes;
        EXPECT_EQ(kept.pick(few, bytes, OperandOrder::any, Reach::datagrams).algorithm, "multicast") << bytes;
        EXPECT_EQ(pick(all, bytes, OperandOrder::any, Reach::messages).algorithm, "native") << bytes;
        EXPECT_EQ(choose(all, bytes, OperandOrder::any, Reach::messages).reason, below_least_bytes) << bytes;
      }
    }
    const Alternatives reduced = alternatives_of(Collective::allreduce, cluster, placement, 0, NativeLibrary::mpich);
    EXPECT_EQ(pick(reduced, least_bytes - 1).algorithm, "native");
  }
}

TEST(Choice, NeverMulticastsToOneOtherHost) {
  const Cluster two = parse_cluster(
      "trunkline: cluster/1\nname: two\ndefaults: {rate: 100Mbit, latency: 10us}\nswitches: [s0]\n"
      "hosts:\n  - {hosts: 'h[0-1]', switch: s0}\n",
      "two.yaml");
  for (const std::uint32_t ranks_per_host : {1U, 8U}) {
    for (std::uint64_t bytes = 1; bytes <= 1U << 24U; bytes *= 2) {
      EXPECT_FALSE(is_multicast(two, ranks_per_host, bytes));
    }
  }
}

/// Nothing else changes where there is no multicast: it is as if the candidate were not there.
RC_GTEST_PROP(Choice, WithoutDatagramsIsTheNextBest, ()) {
  const auto collective = *rc::gen::element(Collective::bcast, Collective::allgather, Collective::allreduce);
  const Cluster cluster(testing::random_parts(9, 24));
  const Placement placement = testing::random_placement(cluster, 40);
  const auto root = *rc::gen::inRange<Rank>(0, static_cast<Rank>(placement.size()));
  const auto library = *rc::gen::element(NativeLibrary::mpich, NativeLibrary::openmpi);
  const HostCosts& hosts = known_host_costs()[*rc::gen::inRange<std::size_t>(0, known_host_costs().size())];
  const auto facts = [&](bool multicasts) {
    return alternatives_of(collective, cluster, placement, facts_of(collective).has_root ? root : 0, library, hosts,
                           multicasts);
  };
  const Alternatives with = facts(true);
  const Alternatives without = facts(false);
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 28));
    const Choice next = choose(with, bytes, OperandOrder::any, Reach::messages);
    const Choice other = choose(without, bytes);
    RC_ASSERT(next.algorithm == other.algorithm);
    RC_ASSERT(next.segment_bytes == other.segment_bytes);
    RC_ASSERT(next.reason == other.reason);
    const Choice best = choose(with, bytes);
    const auto seconds_of = [&](std::string_view algorithm) {
      return std::ranges::find(best.predictions, algorithm, &Prediction::algorithm)->seconds;
    };
    // What a multicast rules out is no finalist, so that others may be replayed: what runs then is about as fast.
    const bool is_as_fast = !best.predictions.empty() && best.algorithm != other.algorithm &&
                            seconds_of(best.algorithm) <= 1.15 * seconds_of(other.algorithm);
    RC_ASSERT(best.algorithm == "multicast" || best.algorithm == other.algorithm || is_as_fast);
    // Where there is no root, what is near the least time runs, whatever native is predicted to take.
    if (best.algorithm != "multicast" || !facts_of(collective).has_root) continue;
    const auto multicast = std::ranges::find(best.predictions, "multicast", &Prediction::algorithm);
    RC_ASSERT(multicast != best.predictions.end());
    RC_ASSERT(multicast->seconds < native_seconds(with, bytes));
  }
}

TEST(Choice, OnOneHostFollowsWhatWasMeasured) {
  const auto runs = [](Collective collective, const char* costs, std::uint64_t bytes) {
    const Alternatives facts = alternatives_of(collective, one_switch(), Placement(2, 3), 0, NativeLibrary::mpich,
                                               host_costs_from(costs, usual_host_costs()));
    return choose(facts, bytes).algorithm;
  };
  EXPECT_EQ(runs(Collective::bcast, "mpich", 1U << 20), "flat");
  EXPECT_EQ(runs(Collective::bcast, "openmpi", 1U << 20), "flat");
  EXPECT_EQ(runs(Collective::bcast, "mpich", 4096), "native");      // takes 0.3 us
  EXPECT_EQ(runs(Collective::bcast, "openmpi", 4096), "flat");      // takes 2 us
  EXPECT_EQ(runs(Collective::bcast, "mpich-5", 1U << 20), "flat");  // waits for the reader's cache
  EXPECT_EQ(runs(Collective::allgather, "openmpi", 1U << 24), "native");
  EXPECT_NE(runs(Collective::allreduce, "mpich-5", 1U << 20), "native");
  EXPECT_NE(runs(Collective::allgather, "openmpi", 1U << 20), "native");
  EXPECT_EQ(runs(Collective::barrier, "openmpi", 1), "native");
  // Two that share a cache; there MPICH 5 copies as we do.
  EXPECT_EQ(runs(Collective::bcast, "mpich-5,processor=epyc-near", 1U << 20), "native");
  EXPECT_EQ(runs(Collective::bcast, "openmpi,processor=epyc-near", 1U << 20), "flat");
  // Other processors, which copy slower; there MPICH 5 does so by smaller pieces than we.
  EXPECT_EQ(runs(Collective::bcast, "openmpi,processor=xeon", 4096), "native");
  EXPECT_EQ(runs(Collective::reduce, "openmpi,processor=xeon", 16384), "native");
  EXPECT_EQ(runs(Collective::bcast, "mpich-5,processor=xeon", 1U << 20), "flat");
  EXPECT_NE(runs(Collective::allreduce, "openmpi,processor=xeon", 1U << 22), "native");
}

TEST(Choice, OnOneHostIsNativeUnderALibraryThatOnlyLooksLikeAMeasuredOne) {
  const auto runs = [](std::string_view processor) {
    HostCosts hosts = host_costs_named("mpich-5");
    hosts.memory = &memory_speeds_named(processor);
    hosts.is_another_library = true;
    const Alternatives facts =
        alternatives_of(Collective::allreduce, one_switch(), Placement(2, 3), 0, NativeLibrary::mpich, hosts);
    return choose(facts, 1U << 20).algorithm;
  };
  EXPECT_EQ(runs("xeon"), "native");
  EXPECT_EQ(runs("epyc"), "native");
  EXPECT_EQ(runs("epyc-near"), "halving-doubling");  // measured under Intel MPI, too
}

TEST(Choice, OnOneHostIsNativeWhereNothingIsKnownOfTheLibrary) {
  const Alternatives facts = alternatives_of(Collective::bcast, one_switch(), Placement(8, 3), 0, NativeLibrary::mpich,
                                             host_costs_named("free"));
  const Choice choice = choose(facts, 1U << 24);
  EXPECT_EQ(choice.algorithm, "native");
  EXPECT_EQ(choice.reason, "all ranks on one host, where this library's own calls were not measured");
  EXPECT_TRUE(choice.predictions.empty());
}

RC_GTEST_PROP(Choice, OnOneHostRunsWhatIsSurelyFaster, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 130);
  const auto collective = static_cast<Collective>(*rc::gen::inRange<std::size_t>(0, collectives().size()));
  const auto costs = *rc::gen::element<std::string>("mpich", "mpich-5", "openmpi") +
                     *rc::gen::element<std::string>("", ",processor=epyc-near", ",processor=xeon");
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << *rc::gen::inRange(1, 30));
  const Alternatives facts = alternatives_of(collective, one_switch(), Placement(ranks, 3), 0, NativeLibrary::mpich,
                                             host_costs_from(costs, usual_host_costs()));
  const Choice choice = choose(facts, bytes);
  for (const Prediction& one : choice.predictions) RC_ASSERT(one.seconds > 0.0);
  if (choice.algorithm == "native") return;
  RC_ASSERT(bytes >= least_bytes);
  const auto of = [&](std::string_view name) {
    return std::ranges::find(choice.predictions, name, &Prediction::algorithm)->seconds;
  };
  // The class is decided by its shortest message, whose times may be an eighth less.
  RC_ASSERT(of(choice.algorithm) < 1.05 * of("native"));
  for (const Prediction& one : choice.predictions) RC_ASSERT(of(choice.algorithm) <= 1.3 * one.seconds);
}

TEST(TreeCosts, AreNeverBelowTheWire) {
  const TreeCosts costs = line_costs(line_of_switches("1"));
  for (std::uint64_t bytes = 1; bytes <= 1U << 24; bytes = bytes * 3 + 1) {
    EXPECT_GT(costs.seconds(bytes, costs.best_segment(bytes)), static_cast<double>(bytes) * 8 / 1e8);
  }
}

}  // namespace
}  // namespace trunkline
