// SPDX-License-Identifier: Apache-2.0
// What jobs have learned: read, written, merged; what a job adds; and which jobs it is for.
#include "learn/learned_file.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "faults.hpp"
#include "network/file/cluster_file.hpp"

namespace trunkline {
namespace {

using testing::case_name;
using testing::FaultCase;
using testing::faults_of;

const std::string learned_head =
    "trunkline: learned/1\n"
    "cluster: cyclic\n"
    "cluster_fingerprint: \"00000000000000ff\"\n"
    "mpi: mpich\n"
    "mpi_version: \"4.0.2\"\n"
    "build: \"0000000000000001\"\n"
    "hosts: 4\n"
    "ranks: 8\n"
    "placement: \"0000000000000002\"\n"
    "conditions: \"0000000000000003\"\n";
const std::string calls_of_eight =
    "  - collective: bcast\n"
    "    ranks: 8\n"
    "    placement: \"0000000000000002\"\n"
    "    root: 3\n"
    "    from: 64KiB\n"
    "    algorithm: linear\n"
    "    segment: 1408B\n"
    "    trial_calls: 80\n"
    "    calls: 1200\n"
    "    jobs: 2\n"
    "    when: \"2026-11-29T15:40:24Z\"\n";
const std::string both_arms =
    "    arms:\n"
    "      - {algorithm: native, calls: 16, median: 2ms, low: 1.9ms, high: 2.1ms}\n"
    "      - {algorithm: linear, segment: 1408B, calls: 16, median: 1.25ms, low: 1.2ms, high: 1.3ms}\n";
const std::string learned_text = learned_head + "entries:\n" + calls_of_eight + both_arms;

TEST(LearnedFile, ReadsBackWhatItWrites) {
  const Learned learned = parse_learned(learned_text, "f");
  ASSERT_EQ(learned.entries.size(), 1U);
  const LearnedEntry& entry = learned.entries[0];
  EXPECT_EQ(entry.like.root, 3U);
  EXPECT_EQ(entry.like.bytes, 65536U);
  EXPECT_DOUBLE_EQ(entry.runs().median_s, 1.25e-3);
  EXPECT_EQ(utc_text(entry.when_s), "2026-11-29T15:40:24Z");
  EXPECT_EQ(write_learned(learned), learned_text);
  const std::string none = learned_head + "entries: []\n";
  EXPECT_EQ(write_learned(parse_learned(none, "f")), none);
}

TEST(LearnedFile, ByRankAndWithoutARoot) {
  std::string text = learned_text;
  text.replace(text.find("bcast"), 5, "allreduce");
  text.replace(text.find("    root: 3\n"), 12, "");
  text.replace(text.find("    algorithm: linear"), 0, "    order: by-rank\n");
  const Learned learned = parse_learned(text, "f");
  EXPECT_EQ(learned.entries.at(0).like.order, OperandOrder::by_rank);
  EXPECT_EQ(write_learned(learned), text);
}

TEST(LearnedFile, JobsThatAreAlikeHaveOneFile) {
  const AlikeJobs jobs = parse_learned(learned_text, "f").jobs;
  AlikeJobs other = jobs;
  other.cluster = "renamed";
  EXPECT_EQ(other.file_name(), jobs.file_name());
  EXPECT_TRUE(jobs.file_name().starts_with("mpich-4.0.2-"));
  const auto differs = [&](auto change) {
    AlikeJobs changed = jobs;
    change(changed);
    return changed.file_name() != jobs.file_name();
  };
  EXPECT_TRUE(differs([](AlikeJobs& one) { one.cluster_fingerprint = 1; }));
  EXPECT_TRUE(differs([](AlikeJobs& one) { one.mpi_version = "4.0.3"; }));
  EXPECT_TRUE(differs([](AlikeJobs& one) { one.build = 0; }));
  EXPECT_TRUE(differs([](AlikeJobs& one) { one.placement = 0; }));
  EXPECT_TRUE(differs([](AlikeJobs& one) { one.conditions = 0; }));
  EXPECT_TRUE(differs([](AlikeJobs& one) { one.ranks = 16; }));
}

class LearnedFaults : public ::testing::TestWithParam<FaultCase> {};

TEST_P(LearnedFaults, AreToldWithTheirPlace) {
  EXPECT_EQ(faults_of(parse_learned, GetParam().yaml), GetParam().faults);
}

std::string with(const std::string& old, const std::string& replacement) {
  std::string text = learned_text;
  return text.replace(text.find(old), old.size(), replacement);
}

INSTANTIATE_TEST_SUITE_P(
    All, LearnedFaults,
    ::testing::Values(
        FaultCase{
            "no_algorithm",
            with("    algorithm: linear", "    algorithm: lineal"),
            {"17:16: no algorithm of bcast is called 'lineal' (did you mean linear?); 'trunkline algorithms' lists all",
             "24:7: the algorithm that runs is none of the arms; say what its calls took"}},
        FaultCase{"not_among_arms",
                  with("    segment: 1408B", "    segment: 704B"),
                  {"24:7: the algorithm that runs is none of the arms; say what its calls took"}},
        FaultCase{"a_root_too_many",
                  with("root: 3", "root: 8"),
                  {"15:11: the root is none of the ranks, which count from 0"}},
        FaultCase{"no_time",
                  with("T15:40", "T25:40"),
                  {"22:11: \"2026-11-29T25:40:24Z\" is no time in UTC, such as \"2026-11-29T15:40:24Z\""}},
        FaultCase{"no_day",
                  with("2026-11-29", "2026-02-30"),
                  {"22:11: \"2026-02-30T15:40:24Z\" is no time in UTC, such as \"2026-11-29T15:40:24Z\""}},
        FaultCase{"in_no_time", with("median: 2ms", "median: 0s"), {"24:48: a call takes more than no time"}},
        FaultCase{"upside_down",
                  with("low: 1.9ms", "low: 2.5ms"),
                  {"24:9: low must not be above median, nor median above high"}},
        FaultCase{"a_path", with("\"4.0.2\"", "\"../4\""), {"5:14: \"../4\" has a slash"}},
        FaultCase{"twice",
                  learned_text + calls_of_eight + both_arms,
                  {"26:5: an entry for the same calls stands above; keep one"}},
        FaultCase{"another_file",
                  "trunkline: plan/1\n",
                  {"1:12: a learned file is wanted, and this file says it is \"plan/1\"; the first line should be "
                   "\"trunkline: learned/1\""}}),
    case_name);

TEST(LearnedFile, IsBounded) {
  try {
    static_cast<void>(parse_learned(std::string(most_learned_bytes + 1, ' '), "f"));
    FAIL() << "it was read";
  } catch (const FaultyFile& faulty) {
    EXPECT_EQ(faulty.faults().at(0).text(), "f: is larger than 2MiB, more than what jobs keep");
  }
  std::string many = learned_head + "entries:\n";
  for (std::size_t i = 0; i <= most_learned_entries; ++i) many += "  - {}\n";
  EXPECT_EQ(faults_of(parse_learned, many),
            std::vector<std::string>{"12:3: has 1025 entries; at most 1024 are kept: leave the oldest out"});
}

TEST(LearnedFile, TheOldestGoesWhereThereAreTooMany) {
  Learned learned = parse_learned(learned_text, "f");
  LearnedEntry entry = learned.entries[0];
  entry.when_s -= 1;
  for (std::uint64_t i = 1; i <= most_learned_entries; ++i) {
    entry.like.bytes = i;
    entry.when_s += 1;
    learned.put(entry);
  }
  EXPECT_EQ(learned.entries.size(), most_learned_entries);
  EXPECT_EQ(std::ranges::count(learned.entries, 1U, [](const LearnedEntry& one) { return one.like.bytes; }), 0);
  EXPECT_LT(write_learned(learned).size(), most_learned_bytes);
}

TEST(LearnedFile, TheLaterOneOfTwoIsKept) {
  Learned learned = parse_learned(learned_text, "f");
  Learned other = parse_learned(with("jobs: 2", "jobs: 7"), "f");
  learned.merge(other);
  EXPECT_EQ(learned.entries[0].jobs, 2U);
  other.entries[0].when_s += 1;
  learned.merge(other);
  EXPECT_EQ(learned.entries[0].jobs, 7U);
  other.entries[0].like.root = 0;
  learned.merge(other);
  EXPECT_EQ(learned.entries.size(), 2U);
  EXPECT_NE(learned.find(other.entries[0].like), nullptr);
}

TEST(LearnedFile, WhatAnotherJobHasFoundMeanwhileStays) {
  const LearnedEntry before = parse_learned(learned_text, "learned.yaml").entries.front();
  LearnedEntry ran_on = before;
  ran_on.calls += 500;
  ran_on.jobs += 1;

  Learned as_before{.entries = {before}};
  as_before.entries.front().calls += 70;  // by a job that ended earlier
  as_before.entries.front().jobs += 1;
  as_before.put_after(before, ran_on);
  EXPECT_EQ(as_before.entries.front().calls, before.calls + 570);
  EXPECT_EQ(as_before.entries.front().jobs, before.jobs + 2);
  as_before.put_after(before, std::nullopt);
  EXPECT_TRUE(as_before.entries.empty());
  as_before.put_after(before, ran_on);
  EXPECT_EQ(as_before.entries.front().calls, ran_on.calls);

  Learned another{.entries = {before}};
  another.entries.front().trial_calls += 1;
  for (const auto& entry : {std::optional(ran_on), std::optional<LearnedEntry>()}) {
    another.put_after(before, entry);
    ASSERT_EQ(another.entries.size(), 1U);
    EXPECT_EQ(another.entries.front().calls, before.calls);
  }
}

TEST(LearnedFile, AnEntryIsDueAfterAThousandTimesItsTrials) {
  LearnedEntry entry = parse_learned(learned_text, "f").entries[0];
  entry.calls = 79'999;
  EXPECT_FALSE(entry.is_due());
  entry.calls = 80'001;
  EXPECT_TRUE(entry.is_due());
}

TEST(LearnedFile, RunsAnArmOfTheJobAlone) {
  const LearnedEntry entry = parse_learned(learned_text, "f").entries[0];
  const Arm native;
  const Arm ring{.algorithm = "ring", .segment_bytes = 1408};
  const Arm line{.algorithm = "linear", .segment_bytes = 704};
  const Arm same{.algorithm = "linear", .segment_bytes = 1408};
  EXPECT_EQ(arm_of(entry, {native, ring}), std::nullopt);
  EXPECT_EQ(arm_of(entry, {native, ring, line}), 2U);
  EXPECT_EQ(arm_of(entry, {native, line, same}), 2U);
}

/// A job of so many calls; `before`: what it began with.
Trials job(const LearnedEntry* before, const std::vector<double>& truth_s, std::uint64_t calls) {
  Trials trials({Arm{},
                 {.algorithm = "linear", .segment_bytes = 1408, .predicted_s = 2e-3},
                 {.algorithm = "binary", .segment_bytes = 281, .predicted_s = 2e-3}},
                2);
  if (before != nullptr) trials.begin_with(*arm_of(*before, trials.arms()), before->runs().median_s);
  LossAccount account(granted_loss_s);
  for (std::uint64_t done = 0; done < calls;) {
    const std::uint64_t interval = std::min<std::uint64_t>(done == 0 ? 10 : 40, calls - done);
    std::vector<double> seconds;
    for (std::uint64_t call = 0; call < interval; ++call) seconds.push_back(truth_s[trials.arm_of(call)]);
    trials.end_interval(interval, seconds, account);
    double left_s = account.left_s();
    trials.begin_interval(left_s);
    done += interval;
  }
  return trials;
}

const AlikeCalls some_calls{.collective = Collective::bcast, .bytes = 65536, .ranks = 8, .placement = 2};

TEST(Learned, OneJobFindsWhatTheNextOneRuns) {
  const Trials first = job(nullptr, {4e-3, 1e-3, 2e-3}, 400);
  const auto found = learned_from(first, some_calls, nullptr, 1000);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->algorithm, "linear");
  EXPECT_EQ(found->trial_calls, first.settled_after());
  EXPECT_EQ(found->calls, 400 - first.settled_after());
  EXPECT_EQ(found->jobs, 1U);
  EXPECT_EQ(found->arms.size(), 3U);
  EXPECT_DOUBLE_EQ(found->runs().median_s, 1e-3);

  const Trials second = job(&*found, {4e-3, 1e-3, 2e-3}, 400);
  EXPECT_TRUE(second.is_known());
  EXPECT_EQ(second.arm_of(0), 1U);
  EXPECT_EQ(second.samples(2).count(), 0U) << "what has lost is not tried again";
  EXPECT_GE(second.samples(0).count(), Samples::least) << "native calls are timed once more";
  EXPECT_LT(second.lost_s(), -1.0) << "and tell what was saved";
  const auto kept = learned_from(second, some_calls, &*found, 2000);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->jobs, 2U);
  EXPECT_EQ(kept->calls, found->calls + 400);
  EXPECT_EQ(kept->trial_calls, found->trial_calls);
  EXPECT_EQ(kept->when_s, 2000);
}

TEST(Learned, NothingIsKeptOfAJobThatHasNotSettled) {
  EXPECT_FALSE(learned_from(job(nullptr, {4e-3, 1e-3, 2e-3}, 30), some_calls, nullptr, 0));
}

TEST(Learned, AShortJobRunsWhatIsKnown) {
  const auto found = learned_from(job(nullptr, {4e-3, 1e-3, 2e-3}, 400), some_calls, nullptr, 0);
  const Trials brief = job(&*found, {4e-3, 1e-3, 2e-3}, 8);
  EXPECT_EQ(brief.samples(0).count(), 0U) << "a program of ten calls sees no trial";
  const auto kept = learned_from(brief, some_calls, &*found, 0);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->calls, found->calls + 8);

  const Trials slow = job(&*found, {4e-3, 1.1e-3, 2e-3}, 4);
  EXPECT_DOUBLE_EQ(learned_from(slow, some_calls, &*found, 0)->runs().median_s, 1e-3) << "four calls say less";
}

TEST(Learned, OtherTimesThanWereKeptAreTriedAnew) {
  const auto found = learned_from(job(nullptr, {4e-3, 1e-3, 2e-3}, 400), some_calls, nullptr, 0);
  const Trials later = job(&*found, {4e-3, 1.5e-3, 1e-3}, 600);
  EXPECT_FALSE(later.is_known());
  EXPECT_EQ(later.changes(), 1U);
  const auto kept = learned_from(later, some_calls, &*found, 0);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->algorithm, "binary");
  EXPECT_EQ(kept->jobs, 1U);
}

TEST(Learned, NativeCallsThatAreFasterByNowAreFound) {
  const auto found = learned_from(job(nullptr, {4e-3, 1e-3, 2e-3}, 400), some_calls, nullptr, 0);
  const Trials later = job(&*found, {0.5e-3, 1e-3, 2e-3}, 600);
  EXPECT_FALSE(later.is_known());
  EXPECT_EQ(later.runs(), 0U);
  EXPECT_LT(later.lost_s(), granted_loss_s + most_lost_share * 600 * 0.5e-3 + 40 * 0.5e-3);
}

Cluster two_switches(const std::string& trunk) {
  return parse_cluster(
      "trunkline: cluster/1\nname: two\nswitches: s[0-2]\ndefaults: {rate: 1Gbit, latency: 10us}\nhosts:\n"
      "  - {hosts: 'h[0-3]', switch: s0}\n  - {hosts: 'h[4-7]', switch: s1}\n  - {hosts: 'h[8-11]', switch: s2}\n"
      "links:\n  - {between: [s0, s1]}\n  - {between: [s1, s2], rate: " +
          trunk + "}\n",
      "two.yaml");
}

TEST(Learned, PlacementsThatAreAlikeAreOne) {
  const Cluster cluster = two_switches("1Gbit");
  const std::uint64_t near = placement_digest(cluster, {0, 1, 4, 5});
  EXPECT_EQ(placement_digest(cluster, {3, 2, 7, 4}), near) << "other hosts of the same switches";
  EXPECT_EQ(placement_digest(cluster, {8, 9, 5, 4}), near) << "the other pair of switches";
  EXPECT_NE(placement_digest(cluster, {0, 4, 1, 5}), near) << "dealt";
  EXPECT_NE(placement_digest(cluster, {0, 0, 4, 4}), near) << "two ranks a host";
  EXPECT_NE(placement_digest(cluster, {0, 1, 8, 9}), near) << "a switch between them";
  EXPECT_NE(placement_digest(two_switches("10Gbit"), {8, 9, 5, 4}), near) << "another trunk";
}

}  // namespace
}  // namespace trunkline
