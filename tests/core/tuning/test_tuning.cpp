// SPDX-License-Identifier: Apache-2.0
// Tuning files: read, written, looked up; every kind of fault with its place and words.
#include <algorithm>

#include "decide/knowledge.hpp"
#include "faults.hpp"
#include "network/file/cluster_file.hpp"
#include "network/fingerprint.hpp"
#include "text/yaml_text.hpp"
#include "tuning/tuning_file.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;
using testing::faults_of;

const std::string tuning_head = "trunkline: tuning/1\nentries:\n";
const std::string entry =
    "  - collective: bcast\n"
    "    cluster: cyclic\n"
    "    cluster_fingerprint: \"00000000000000ff\"\n"
    "    hosts: 4\n"
    "    ranks_per_host: 2\n"
    "    mpi: mpich\n"
    "    mpi_version: \"4.0.2\"\n";
const std::string rules =
    "    rules:\n"
    "      - {from: 0B, algorithm: native}\n"
    "      - {from: 1000B, algorithm: binary, segment: 281B}\n"
    "      - {from: 64KiB, algorithm: linear, segment: 1408B}\n";

TEST(Tuning, ReadsBackWhatItWrites) {
  const Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  ASSERT_EQ(tuning.entries.size(), 1U);
  const std::string text = write_tuning(tuning);
  EXPECT_EQ(text, tuning_head + entry + rules);
  EXPECT_EQ(write_tuning(parse_tuning(text, "f")), text);
}

TEST(Tuning, HoldsPlansOfOnesOwnAndUnevenRanks) {
  const std::string text =
      "trunkline: tuning/1\nentries:\n  - collective: allreduce\n    cluster: cyclic\n"
      "    cluster_fingerprint: \"00000000000000ff\"\n    hosts: 2\n    ranks_per_host: [2, 1]\n    mpi: mpich\n"
      "    mpi_version: \"4.0.2\"\n    rules:\n"
      "      - from: 0B\n        segment: 64B\n        plan:\n          shape: custom\n          ranks: 3\n"
      "          root: 1\n          # Whom each rank sends to, in this order.\n          sends:\n            1: [0, "
      "2]\n"
      "      - {from: 64B, algorithm: native}\n";
  const Tuning tuning = parse_tuning(text, "f");
  EXPECT_EQ(write_tuning(tuning), text);
  const TuningRule& rule = tuning.entries[0].rules[0];
  ASSERT_NE(rule.plan, nullptr);
  EXPECT_EQ(rule.plan->collective, Collective::allreduce);
  EXPECT_EQ(rule.plan->plan.root(), 1U);
  EXPECT_EQ(tuning.least_accelerated(Collective::allreduce), 0U);
  EXPECT_NE(tuning.find(Collective::allreduce, {5, 5, 3}), nullptr);
  EXPECT_NE(tuning.find(Collective::allreduce, {5, 3, 5}), nullptr);
  EXPECT_EQ(tuning.find(Collective::allreduce, {3, 5, 5}), nullptr);
  EXPECT_EQ(tuning.find(Collective::allreduce, {5, 3}), nullptr);
}

TEST(Tuning, RulesHoldUpToTheNext) {
  const Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  const TuningEntry& known = tuning.entries[0];
  EXPECT_EQ(known.rule_for(1).algorithm, "native");
  EXPECT_EQ(known.rule_for(999).algorithm, "native");
  EXPECT_EQ(known.rule_for(1000).algorithm, "binary");
  EXPECT_EQ(known.rule_for(65535).algorithm, "binary");
  EXPECT_EQ(known.rule_for(65536).segment_bytes, 1408U);
  EXPECT_EQ(known.rule_for(1U << 30).algorithm, "linear");
}

/// Six hosts on one switch.
Cluster six_hosts(const std::string& rate) {
  return parse_cluster(
      "trunkline: cluster/1\nname: six\nswitches: s\nhosts: [{hosts: 'h[0-5]', switch: s, rate: " + rate + "}]\n",
      "six.yaml");
}

TEST(Tuning, IsForEvenRanks) {
  const Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  const Placement even{0, 0, 1, 1, 2, 2, 5, 5};
  EXPECT_NE(tuning.find(Collective::bcast, even), nullptr);
  EXPECT_EQ(tuning.find(Collective::reduce, even), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, {0, 0, 1, 1, 2, 2, 5}), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, {0, 1, 2, 5}), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, {0, 0, 1, 1, 2, 2}), nullptr);
}

TEST(Tuning, HoldsForOneLibraryOnOneNetworkOrOneTopology) {
  const Cluster slow = six_hosts("20Mbit");
  const Cluster fast = six_hosts("10Gbit");
  Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  tuning.entries[0].cluster_fingerprint = slow.fingerprint();
  EXPECT_EQ(tuning.holding_on(slow, "mpich", "4.0.2").entries.size(), 1U);
  EXPECT_TRUE(tuning.holding_on(slow, "mpich", "4.0.3").entries.empty());
  EXPECT_TRUE(tuning.holding_on(slow, "openmpi", "4.0.2").entries.empty());
  EXPECT_TRUE(tuning.holding_on(fast, "mpich", "4.0.2").entries.empty());

  // By topology on both; where there are two, the one of the very network comes first.
  TuningEntry by_topology = tuning.entries[0];
  by_topology.topology_fingerprint = topology_fingerprint(fast);
  by_topology.cluster_fingerprint = fast.fingerprint();
  by_topology.rules = {{.from_bytes = 0, .algorithm = "native"}};
  tuning.entries.insert(tuning.entries.begin(), by_topology);
  const Placement even{0, 0, 1, 1, 2, 2, 5, 5};
  const Tuning on_slow = tuning.holding_on(slow, "mpich", "4.0.2");
  ASSERT_EQ(on_slow.entries.size(), 2U);
  EXPECT_EQ(on_slow.find(Collective::bcast, even)->rules.size(), 3U);
  const Tuning on_fast = tuning.holding_on(fast, "mpich", "4.0.2");
  ASSERT_EQ(on_fast.entries.size(), 1U);
  EXPECT_EQ(on_fast.find(Collective::bcast, even)->rules.size(), 1U);
}

TEST(Tuning, TellsOtherRatesThanTheClusterStates) {
  Tuning tuning = parse_tuning(tuning_head + entry + "    topology_fingerprint: \"" +
                                   hexadecimal(topology_fingerprint(six_hosts("1Gbit"))) +
                                   "\"\n    measured_rates:\n"
                                   "      - {from: h0, to: h1, rate: 941Mbit}\n"
                                   "      - {from: h1, to: h2, rate: 930Mbit}\n" +
                                   rules,
                               "f");
  TuningEntry& known = tuning.entries[0];
  EXPECT_EQ(parse_tuning(write_tuning(tuning), "again").entries[0].measured_rates[1].bps, 930e6);
  EXPECT_EQ(contradiction(known, six_hosts("1Gbit")), "");
  EXPECT_EQ(contradiction(known, six_hosts("10Gbit")),
            "bcast: h1 - h2, 930 Mbit/s measured, 10 Gbit/s stated; in all for 2 pairs");
  EXPECT_EQ(contradiction(known, six_hosts("100Mbit")),
            "bcast: h0 - h1, 941 Mbit/s measured, 100 Mbit/s stated; in all for 2 pairs");

  Knowledge knowledge{.library = {NativeLibrary::mpich, "mpich", "4.0.2"}, .cluster = six_hosts("10Gbit")};
  knowledge.take_tuning(tuning, "f");
  EXPECT_EQ(knowledge.tuned_elsewhere.size(), 1U);
  known.cluster_fingerprint = knowledge.cluster->fingerprint();  // 'trunkline tune' told it there
  Knowledge there{.library = knowledge.library, .cluster = knowledge.cluster};
  there.take_tuning(tuning, "f");
  EXPECT_TRUE(there.tuned_elsewhere.empty());
  EXPECT_EQ(there.tuning->entries.size(), 1U);

  known.cluster_fingerprint = 0;
  known.measured_rates[0].to = "h9";
  EXPECT_THROW(knowledge.take_tuning(tuning, "f"), std::invalid_argument);
}
TEST(Tuning, KnowsFromWhichSizeOnAnythingButNativeRuns) {
  Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  const TuningEntry& one = tuning.entries[0];
  const auto first = std::ranges::find_if(one.rules, [](const TuningRule& rule) { return rule.algorithm != "native"; });
  ASSERT_NE(first, one.rules.end());
  EXPECT_EQ(tuning.least_accelerated(Collective::bcast), first->from_bytes);
  EXPECT_EQ(tuning.least_accelerated(Collective::reduce), std::nullopt);
  tuning.entries[0].rules = {{0, "native", 0}};
  EXPECT_EQ(tuning.least_accelerated(Collective::bcast), std::nullopt);
}

const FaultCase tuning_faults[] = {
    FaultCase{"Empty", "", {"1:1: the file is empty; its first line should be \"trunkline: tuning/1\""}},
    FaultCase{"FormatOfAPlanAndFaultsBehind",
              "trunkline: plan/1\n"
              "entries:\n"
              "  - collective: allreduce\n"
              "    cluster: paper\n"
              "    rules:\n"
              "      - from: 0B\n"
              "        plan: {sh: {0: [0, 2]}}\n",
              {"1:12: a tuning file is wanted, and this file says it is \"plan/1\"; the first line should be "
               "\"trunkline: tuning/1\""}},
    FaultCase{"NoEntries",
              "trunkline: tuning/1\n",
              {"1:1: the key entries is missing; give it, such as entries: [...], as 'trunkline tune' writes them"}},
    FaultCase{"Truncated",
              tuning_head + entry,
              {"3:5: the key rules is missing; give it, such as rules: [{from: 0B, algorithm: native}]"}},
    FaultCase{"NoRules",
              tuning_head + entry + "    rules: []\n",
              {"10:12: rules is empty; give at least {from: 0B, algorithm: native}"}},
    FaultCase{"Contradictory",
              tuning_head + entry + rules + entry + rules,
              {"14:5: an entry for the same collective, cluster, hosts, ranks and MPI stands above; keep one"}},
    FaultCase{"PlanBesideAlgorithm",
              tuning_head + entry +
                  "    rules: [{from: 0B, algorithm: native, plan: {shape: custom, ranks: 8, root: 0, line: [0-7]}}]\n",
              {"10:35: both algorithm and plan are given; keep one"}},
    FaultCase{"PlanOfOtherRanks",
              tuning_head + entry + "    rules: [{from: 0B, plan: {shape: custom, ranks: 4, root: 0, line: [0-3]}}]\n",
              {"10:30: the plan has 4 ranks, and the entry is for 8; put it into an entry for as many"}},
    FaultCase{"PlanThatIsNone",
              tuning_head + entry +
                  "    rules: [{from: 0B, plan: {shape: custom, ranks: 8, root: 0, sends: {0: [1, 2, 3, 4, 5, 6]}, "
                  "cluster: c}}]\n",
              {"10:72: rank 7 is missing: nobody sends there; every rank but the root receives once",
               "10:97: unknown key \"cluster\"; known here are shape, ranks, hosts, ranks_per_host, root, line, sends, "
               "trees, exchange, rounds, multicast"}},
    FaultCase{
        "RanksOfOtherHosts",
        tuning_head + std::string(entry).replace(entry.find("ranks_per_host: 2"), 17, "ranks_per_host: [2, 1]") + rules,
        {"7:21: ranks_per_host lists 2 hosts, and hosts says 4; list each host's ranks, or one number for all "
         "hosts"}},
    FaultCase{"RanksAlikeAfterAll",
              tuning_head +
                  std::string(entry).replace(entry.find("ranks_per_host: 2"), 17, "ranks_per_host: [2, 2, 2, 2]") +
                  rules,
              {"7:21: all hosts have as many ranks; write ranks_per_host: 2"}},
    FaultCase{"FirstRuleNotAtZero",
              tuning_head + entry + "    rules: [{from: 8KiB, algorithm: native}]\n",
              {"10:20: the first rule must begin at 0B"}},
    FaultCase{"OutOfOrder",
              tuning_head + entry + "    rules: [{from: 0B, algorithm: native}, {from: 0B, algorithm: native}]\n",
              {"10:51: rules must stand in the order of their sizes, each once"}},
    FaultCase{"Segments",
              tuning_head + entry +
                  "    rules:\n"
                  "      - {from: 0B, algorithm: native, segment: 1KiB}\n"
                  "      - {from: 1KiB, algorithm: linear}\n"
                  "      - {from: 2KiB, algorithm: linear, segment: 0B}\n"
                  "      - {from: 3KiB, algorithm: linear, segment: 1KB}\n",
              {"11:48: native takes no segment", "12:9: the key segment is missing; give it, such as segment: 1408B",
               "13:50: a segment must be above zero",
               "14:50: \"KB\" is no unit of a size (did you mean kB?); known are B, KiB, MiB, GiB, kB, MB, GB"}},
    FaultCase{"MeasuredRates",
              tuning_head + entry +
                  "    topology_fingerprint: xyz\n"
                  "    measured_rates: [{from: h0, to: h1, rate: 10Gb}, {from: h0, rate: -1Mbit}, h0]\n" +
                  rules,
              {"10:27: topology_fingerprint must be a text of up to 16 hexadecimal digits; leave it out if unknown",
               "11:47: \"Gb\" is no unit of a rate (did you mean Gbit?); known are bit, kbit, Mbit, Gbit",
               "11:54: the key to is missing; give it, such as to: h1", "11:71: the rate -1Mbit must be above zero",
               "11:80: a measured rate must be a mapping, such as {from: h0, to: h1, rate: 941Mbit}; here is a text"}},
    FaultCase{
        "Names",
        "trunkline: tuning/1\n"
        "entries:\n"
        "  - {collective: alltoalv, cluster: c, cluster_fingerprint: xyz, hosts: 0, ranks_per_host: 1, mpi: mpitch,\n"
        "     mpi_version: '1', rules: [{from: 0B, algorithm: liner, segment: 1KiB}]}\n",
        {"3:18: \"alltoalv\" is not a collective that is tuned; known are bcast, reduce, "
         "allreduce, barrier, "
         "reduce-scatter, reduce-scatter-block, allgather, allgatherv, alltoall, gather, scatter, alltoallv, "
         "scan, exscan",
         "3:61: cluster_fingerprint must be a text of up to 16 hexadecimal digits; leave it out if unknown",
         "3:73: hosts must be a whole number from 1, not \"0\"",
         "3:100: \"mpitch\" is no MPI library (did you mean mpich?); known are mpich, openmpi",
         "4:54: no algorithm of bcast is called \"liner\" (did you mean linear?)"}},
};

class TuningFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(TuningFaults, AreSaidExactly) { EXPECT_EQ(faults_of(parse_tuning, GetParam().yaml), GetParam().faults); }

INSTANTIATE_TEST_SUITE_P(All, TuningFaults, ::testing::ValuesIn(tuning_faults), case_name);

}  // namespace
}  // namespace trunkline
