// SPDX-License-Identifier: Apache-2.0
#include "choose/choose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "choices.hpp"
#include "model/native/rules.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::facts_of;
using testing::line_of_switches;

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

}  // namespace
}  // namespace trunkline
