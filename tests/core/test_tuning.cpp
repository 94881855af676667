// SPDX-License-Identifier: Apache-2.0
// Tuning files: read, written, looked up; every kind of fault with its place and words.
#include <algorithm>

#include "decide/tuning_file.hpp"
#include "faults.hpp"

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

TEST(Tuning, IsForOneNetworkOneLibraryAndEvenRanks) {
  const Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  const Placement even{0, 0, 1, 1, 2, 2, 5, 5};
  EXPECT_NE(tuning.find(Collective::bcast, 255, "mpich", "4.0.2", even), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, 254, "mpich", "4.0.2", even), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, 255, "openmpi", "4.0.2", even), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, 255, "mpich", "5.0.2", even), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, 255, "mpich", "4.0.2", {0, 0, 1, 1, 2, 2, 5}), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, 255, "mpich", "4.0.2", {0, 1, 2, 5}), nullptr);
  EXPECT_EQ(tuning.find(Collective::bcast, 255, "mpich", "4.0.2", {0, 0, 1, 1, 2, 2}), nullptr);
  EXPECT_TRUE(tuning.knows(255, "mpich", "4.0.2"));
  EXPECT_FALSE(tuning.knows(255, "mpich", "4.0.3"));
}

TEST(Tuning, KnowsFromWhichSizeOnAnythingButNativeRuns) {
  Tuning tuning = parse_tuning(tuning_head + entry + rules, "f");
  const TuningEntry& one = tuning.entries[0];
  const auto least = [&](std::string_view mpi) {
    return tuning.least_accelerated(Collective::bcast, one.cluster_fingerprint, mpi, one.mpi_version);
  };
  const auto first = std::ranges::find_if(one.rules, [](const TuningRule& rule) { return rule.algorithm != "native"; });
  ASSERT_NE(first, one.rules.end());
  EXPECT_EQ(least(one.mpi), first->from_bytes);
  EXPECT_EQ(least("another"), std::nullopt);
  tuning.entries[0].rules = {{0, "native", 0}};
  EXPECT_EQ(least(one.mpi), std::nullopt);
}

const FaultCase tuning_faults[] = {
    FaultCase{"Empty", "", {"1:1: the file is empty; its first line should be \"trunkline: tuning/1\""}},
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
    FaultCase{
        "Names",
        "trunkline: tuning/1\n"
        "entries:\n"
        "  - {collective: alltoall, cluster: c, cluster_fingerprint: xyz, hosts: 0, ranks_per_host: 1, mpi: mpitch,\n"
        "     mpi_version: '1', rules: [{from: 0B, algorithm: liner, segment: 1KiB}]}\n",
        {"3:18: \"alltoall\" is not a collective that is tuned; known are bcast, reduce, allreduce, barrier, "
         "reduce-scatter, reduce-scatter-block, allgather, allgatherv",
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
