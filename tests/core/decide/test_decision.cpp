// SPDX-License-Identifier: Apache-2.0
#include "decide/decision.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "algorithms/registry.hpp"
#include "network/file/cluster_file.hpp"
#include "network/with_speeds.hpp"

namespace trunkline {
namespace {

/// Bytes that the process has allocated; 0 where a sanitizer has taken malloc's place.
std::size_t bytes_in_use() { return mallinfo2().uordblks; }

/// Bytes that asking for the plan of an algorithm allocates.
std::size_t laid(Decider& decider, std::string_view algorithm) {
  const std::size_t before = bytes_in_use();
  const Plan plan = decider.plan(algorithm);
  return plan.has_steps() ? bytes_in_use() - before : 0;
}

/// So many ranks that what is laid is more than what malloc keeps at hand.
constexpr std::uint32_t ranks_per_host = 32;

TEST(Decider, HandsOverThePlanThatItWasDecidedBy) {
  if (bytes_in_use() == 0) GTEST_SKIP() << "nobody counts what is allocated";
  const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml")};
  const Placement placement = block_placement(*knowledge.cluster, ranks_per_host);
  Decider decider(knowledge, Collective::bcast, placement, 0);
  const Decision decision = decider.decide(std::uint64_t{1} << 24, OperandOrder::any, {}, false);
  ASSERT_FALSE(decision.is_native());
  EXPECT_EQ(laid(decider, decision.algorithm), 0U) << decision.algorithm;
  EXPECT_GT(laid(decider, decision.algorithm), 0U) << decision.algorithm << ", which was handed over before";
}

TEST(Decider, ForgetsPlansThatNobodyRuns) {
  if (bytes_in_use() == 0) GTEST_SKIP() << "nobody counts what is allocated";
  const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml")};
  const Placement placement = block_placement(*knowledge.cluster, ranks_per_host);
  Decider decider(knowledge, Collective::bcast, placement, 0);
  const Decision decision = decider.decide(std::uint64_t{1} << 24, OperandOrder::any, {}, false);
  const std::size_t before = bytes_in_use();
  decider.forget_plans();
  EXPECT_LT(bytes_in_use(), before);
  EXPECT_GT(laid(decider, decision.algorithm), 0U);
}

Knowledge of_slow_links() { return {.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml")}; }

/// A broadcast of 8 KiB on cyclic with 100 Mbit/s.
struct EightKib {
  Knowledge knowledge = of_slow_links();
  Placement placement = block_placement(*knowledge.cluster, 1);
  Decider decider{knowledge, Collective::bcast, placement, 0};

  Decision decide(Reach reach, const Wish& wish = {}) {
    return decider.decide(8192, OperandOrder::any, wish, true, reach);
  }
};

TEST(Decider, TakesTheNextBestWhereNoDatagramArrives) {
  EightKib call;
  const Decision with = call.decide(Reach::datagrams);
  EXPECT_EQ(with.algorithm, "multicast");
  EXPECT_TRUE(with.wants_datagrams);
  const Decision without = call.decide(Reach::messages);
  EXPECT_NE(without.algorithm, "multicast");
  EXPECT_FALSE(without.wants_datagrams);
  EXPECT_EQ(without.reason.find("multicast"), std::string::npos) << without.reason;
  const auto saved_s = call.decider.saved_s(8192, with, without);
  EXPECT_GT(saved_s, 0.0);
  EXPECT_GT(call.decider.opening_s(with), saved_s);  // one call does not pay for a group
}

TEST(Decider, LooksAtShortMessagesWhereAMulticastMayPay) {
  EightKib call;
  const auto runs = [&](std::uint64_t bytes, Collective collective = Collective::bcast) {
    Decider decider(call.knowledge, collective, call.placement, 0);
    return decider.decide(bytes, OperandOrder::any, {}, true);
  };
  EXPECT_EQ(runs(8).reason, below_least_bytes);  // nobody has looked whether links are slow
  call.knowledge.look_for_short_calls(call.placement);
  const Decision short_one = runs(8);
  EXPECT_EQ(short_one.algorithm, "multicast");
  EXPECT_TRUE(short_one.wants_datagrams);
  EXPECT_EQ(runs(8, Collective::allgather).algorithm, "multicast");
  EXPECT_EQ(runs(8, Collective::allreduce).reason, below_least_bytes);
  Decider decider(call.knowledge, Collective::bcast, call.placement, 0);
  const Decision with = decider.decide(8, OperandOrder::any, {}, false);
  const Decision without = decider.decide(8, OperandOrder::any, {}, false, Reach::messages);
  EXPECT_TRUE(without.is_native());
  EXPECT_GT(decider.saved_s(8, with, without), 0.0);
  EXPECT_TRUE(decider.plan(with.algorithm).has_steps());
  EXPECT_NE(decider.decide(8192, OperandOrder::any, {}, false, Reach::messages).algorithm, "native");
}

TEST(Decider, NeverLooksAtShortMessagesWhereNoMulticastPays) {
  const auto floor = [](Knowledge knowledge) {
    knowledge.look_for_short_calls(knowledge.cluster ? block_placement(*knowledge.cluster, 1) : Placement{});
    return knowledge.floor_of(Collective::bcast);
  };
  Knowledge slow = of_slow_links();
  EXPECT_EQ(floor(slow), 0U);
  Knowledge fast = slow;
  fast.cluster = scaled(*slow.cluster, 10e9);
  EXPECT_EQ(floor(fast), least_bytes);
  fast.hosts.is_known = true;
  EXPECT_EQ(floor(fast), 0U);
  Knowledge unwanted = slow;
  unwanted.multicasts = false;
  EXPECT_EQ(floor(unwanted), least_bytes);
  Knowledge tuned = slow;
  tuned.tuning = Tuning();
  EXPECT_EQ(floor(tuned), least_bytes);
  EXPECT_EQ(floor(Knowledge{}), least_bytes);
}

/// Where two hosts have three ranks each, some communicator may have hosts that meet so.
TEST(Decider, LooksAtShortCallsWhereAllRanksOfHostsMayHandOn) {
  Knowledge knowledge{.hosts = host_costs_named("mpich"),
                      .cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/leaf-spine.yaml")};
  knowledge.hosts.is_known = true;
  const auto floor = [&](const Placement& job, Collective collective = Collective::allreduce) {
    knowledge.look_for_short_calls(job);
    return knowledge.floor_of(collective);
  };
  const Placement four_each = block_placement(*knowledge.cluster, 4);
  EXPECT_EQ(floor(block_placement(*knowledge.cluster, 2)), least_bytes);
  EXPECT_EQ(floor({0, 0, 0, 1, 1}), least_bytes);
  EXPECT_EQ(floor({0, 0, 0, 1, 1, 1, 2}), 0U);
  for (const Collective one : {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::barrier}) {
    EXPECT_EQ(floor(four_each, one), 0U) << facts_of(one).name;
  }
  EXPECT_EQ(floor(four_each, Collective::reduce_scatter), least_bytes);
  const auto decision = [&](const Placement& placement, OperandOrder order = OperandOrder::any,
                            Collective collective = Collective::allreduce) {
    return Decider(knowledge, collective, placement, 0).decide(8, order, {}, true);
  };
  EXPECT_EQ(decision(four_each).algorithm, "4-lane-radix");
  EXPECT_EQ(decision(four_each, OperandOrder::by_rank).algorithm, "native");
  EXPECT_EQ(decision(four_each, OperandOrder::any, Collective::bcast).algorithm, "multicast");
  knowledge.multicasts = false;
  EXPECT_EQ(decision(four_each, OperandOrder::any, Collective::bcast).algorithm, "64-lane-tree");
  for (const Placement& none : {Placement(4, 0), Placement{0, 0, 0, 1, 1, 1, 2}, Placement{0, 1, 2, 3}}) {
    EXPECT_EQ(decision(none).algorithm, "native");
    EXPECT_EQ(decision(none).reason, below_least_bytes);
  }
}

/// Ranks whose number has a large prime factor make groups of as many.
TEST(Decider, ComparesNoExchangesInHugeGroups) {
  Knowledge knowledge{.hosts = host_costs_named("mpich"),
                      .cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/leaf-spine.yaml")};
  const auto compares = [&](Rank ranks_a_host, Rank hosts_used) {
    Placement placement = block_placement(*knowledge.cluster, ranks_a_host);
    placement.resize(std::size_t{ranks_a_host} * hosts_used);
    Decider decider(knowledge, Collective::allreduce, placement, 0);
    return std::ranges::any_of(decider.predictions(65536, OperandOrder::any),
                               [](const Prediction& one) { return one.algorithm == "staggered-radix"; });
  };
  EXPECT_TRUE(compares(4, 23));
  EXPECT_TRUE(compares(61, 2));
  EXPECT_FALSE(compares(67, 2));
}

/// Other libraries may have a network that needs no processor.
TEST(Decider, LeavesShortCallsAloneWhereNobodyKnowsWhatMessagesCost) {
  Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/leaf-spine.yaml")};
  const auto floor = [&](double bps) {
    knowledge.cluster = scaled(*knowledge.cluster, bps);
    knowledge.look_for_short_calls(block_placement(*knowledge.cluster, 4));
    return knowledge.floor_of(Collective::allreduce);
  };
  EXPECT_EQ(floor(10e9), least_bytes);
  EXPECT_EQ(floor(1e9), 0U);
  knowledge.hosts.is_another_library = true;
  EXPECT_EQ(floor(1e9), least_bytes);
  knowledge.hosts = host_costs_named("mpich");
  EXPECT_EQ(floor(10e9), least_bytes);
  knowledge.hosts.is_known = true;
  EXPECT_EQ(floor(10e9), 0U);
  knowledge.hosts.shared_s = 1e-6;  // as on the lab
  EXPECT_EQ(floor(10e9), least_bytes);
}

TEST(Decider, LeavesWhatIsForcedAsItIs) {
  EightKib call;
  for (const Reach reach : {Reach::datagrams, Reach::messages}) {
    const Decision forced = call.decide(reach, parse_wish(Collective::bcast, "multicast"));
    EXPECT_EQ(forced.algorithm, "multicast");
    EXPECT_FALSE(forced.wants_datagrams);  // runs as best it can
  }
}

TEST(Decider, NeverMulticastsWhereThatIsNotAllowed) {
  EightKib call;
  call.knowledge.multicasts = false;
  EXPECT_NE(call.decide(Reach::datagrams).algorithm, "multicast");
}

TEST(Decider, AsksTheRuleWhereATuningFileNamesAMulticast) {
  EightKib call;
  TuningEntry entry;
  entry.cluster_fingerprint = call.knowledge.cluster->fingerprint();
  entry.hosts = 32;
  entry.ranks_per_host = 1;
  entry.rules = {{.from_bytes = 0, .algorithm = "multicast", .segment_bytes = 1408}};
  Tuning tuning;
  tuning.entries.push_back(entry);
  call.knowledge.tuning = tuning;
  const Decision by_rule = EightKib().decide(Reach::messages);
  const Decision with = call.decide(Reach::datagrams);
  EXPECT_EQ(with.algorithm, "multicast");
  EXPECT_NE(with.reason.find("TRUNKLINE_TUNING"), std::string::npos);
  const Decision without = call.decide(Reach::messages);
  EXPECT_EQ(without.algorithm, by_rule.algorithm);
  EXPECT_EQ(without.reason, by_rule.reason);
  // Where predictions know no gain, a tenth of what the multicast takes.
  EXPECT_GT(call.decider.saved_s(8192, with, with), 0.0);
}

Knowledge of_four_sites() { return {.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/four-site.yaml")}; }

TEST(Decider, HasNoFloorWhereRanksSitOnSeveralSites) {
  const Knowledge knowledge = of_four_sites();
  const Placement dealt{0, 8, 16, 24, 1, 9, 17, 25};
  Decider across(knowledge, Collective::reduce, dealt, 0);
  EXPECT_NE(across.decide(1, OperandOrder::any, {}, true).reason, below_least_bytes);
  EXPECT_EQ(across.decide(0, OperandOrder::any, {}, true).reason, below_least_bytes);
  // Open MPI's own goes from rank to rank, and so over the sea and back again.
  Knowledge openmpi = of_four_sites();
  openmpi.library.native = NativeLibrary::openmpi;
  EXPECT_FALSE(Decider(openmpi, Collective::reduce, dealt, 0).decide(1, OperandOrder::any, {}, true).is_native());
  const Placement home{0, 1, 2, 3, 4, 5, 6, 7};
  Decider within(knowledge, Collective::bcast, home, 0);
  EXPECT_TRUE(within.decide(511, OperandOrder::any, {}, true).is_native());
  EXPECT_EQ(within.decide(511, OperandOrder::any, {}, true).reason, below_least_bytes);
}

TEST(Decider, ComparesOverLongLinksWhatIsMadeForThem) {
  const auto compared = [](const Knowledge& knowledge, const Placement& placement, std::string_view name) {
    const auto all = Decider(knowledge, Collective::bcast, placement, 0).predictions(8192);
    return std::ranges::any_of(all, [&](const Prediction& one) { return one.algorithm == name; });
  };
  const Knowledge sites = of_four_sites();
  const Knowledge one_place = of_slow_links();
  const Placement hosts = block_placement(*sites.cluster, 1);
  EXPECT_TRUE(compared(sites, hosts, "by-sites-binary"));
  EXPECT_FALSE(compared(sites, hosts, "multicast"));
  EXPECT_FALSE(compared(sites, hosts, "circulant"));
  EXPECT_TRUE(compared(sites, hosts, "binomial"));
  EXPECT_FALSE(compared(sites, {8, 9, 10, 11}, "by-sites-binary"));
  EXPECT_FALSE(compared(one_place, hosts, "by-sites-binary"));
  EXPECT_TRUE(compared(one_place, hosts, "multicast"));
  EXPECT_TRUE(compared(one_place, hosts, "circulant"));
}

TEST(Decider, TakesTreesBySitesWhereTheyAreALittleFaster) {
  // Predicted 1.13 times as fast as the library's own on the lab, which is known that well.
  const auto runs = [](const char* costs, double fastest_bps, std::uint64_t bytes) {
    Knowledge knowledge = of_four_sites();
    knowledge.cluster = scaled(*knowledge.cluster, fastest_bps);
    knowledge.hosts = host_costs_from(costs, usual_host_costs());
    const Placement placement = block_placement(*knowledge.cluster, 1);
    Decider decider(knowledge, Collective::bcast, placement, 0);
    const Decision decision = decider.decide(bytes, OperandOrder::any, {}, true);
    return decision.is_native() ? "native" : std::string(decision.algorithm);
  };
  const char* const on_the_lab = "mpich,shared=16us,shared-byte=4ns";
  EXPECT_EQ(runs(on_the_lab, 40e6, 8192), "by-sites-binary");
  // Elsewhere 1.06 times, which is not enough.
  EXPECT_EQ(runs("mpich", 100e6, 8192), "native");
  // Long ones would fill the port of a rank that serves two, which the lab does not forgive.
  EXPECT_EQ(runs(on_the_lab, 40e6, 100'000), "by-sites-binary");
  EXPECT_EQ(runs(on_the_lab, 40e6, 1U << 20U), "by-sites-linear");
  // A hundredth is not enough.
  EXPECT_EQ(runs(on_the_lab, 40e6, 8), "native");
  EXPECT_EQ(runs("mpich", 100e6, 8), "native");
}

TEST(Decider, TakesLanesBySitesWhereOneRankDoesNotFillLinks) {
  const auto runs = [](const char* costs, double fastest_bps, Rank ranks) {
    Knowledge knowledge = of_four_sites();
    knowledge.cluster = scaled(*knowledge.cluster, fastest_bps);
    knowledge.hosts = host_costs_from(costs, usual_host_costs());
    const Placement placement = block_placement(*knowledge.cluster, ranks);
    Decider decider(knowledge, Collective::reduce, placement, 0);
    return std::string(decider.decide(std::uint64_t{16} << 20U, OperandOrder::any, {}, true).algorithm);
  };
  EXPECT_EQ(runs("mpich", 10e9, 4).substr(0, 14), "4-lane-by-site");
  EXPECT_EQ(runs("mpich", 10e9, 1).find("lane-"), std::string::npos);
  EXPECT_EQ(runs("mpich", 100e6, 4).substr(0, 8), "by-sites");  // one rank fills these
  // Nobody has measured them where all hosts share the processors of one machine.
  EXPECT_EQ(runs("mpich,shared=16us,shared-byte=4ns", 10e9, 4).find("lane-by-sites"), std::string::npos);
}

/// Operands of three and four children on fast links to a root keep its port from what comes over a slow long one.
TEST(Decider, TakesFewChildrenWhereTwoRootsExchangeOverASlowLink) {
  const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/../examples/two-links.yaml")};
  const Placement placement = block_placement(*knowledge.cluster, 1);
  Decider decider(knowledge, Collective::allreduce, placement, 0);
  const std::string_view few = decider.decide(100'000, OperandOrder::any, {}, true).algorithm;
  EXPECT_TRUE(few.ends_with("-linear") || few.ends_with("-binary")) << few;
  // A few bytes keep nothing from a port.
  EXPECT_NE(decider.decide(64, OperandOrder::any, {}, true).algorithm, "by-sites-linear");
}

TEST(Decider, LaysPlansThatDependOnTheSizeForTheSize) {
  const Knowledge knowledge = of_four_sites();
  const Placement placement = block_placement(*knowledge.cluster, 1);
  Decider decider(knowledge, Collective::bcast, placement, 3);
  const auto children = [](const Plan& plan) { return trees_of(plan).front().children; };
  for (const std::uint64_t bytes : {1U, 100U, 100'000U, 1U << 20U}) {
    const Decision decision = decider.decide(bytes, OperandOrder::any, parse_wish(Collective::bcast, "wave"), true);
    EXPECT_EQ(decision.laid_for_bytes, std::bit_floor(bytes));
    const Plan plan = lay(Collective::bcast, "wave", &*knowledge.cluster, placement, 3, std::bit_floor(bytes));
    EXPECT_EQ(children(decider.plan(decision.algorithm, decision.laid_for_bytes)), children(plan));
    EXPECT_EQ(decider.seconds_of("wave", bytes, bytes),
              costs_of(*knowledge.cluster, placement, plan, Collective::bcast, knowledge.hosts)->seconds(bytes, bytes));
    EXPECT_EQ(decision.segment_bytes, decider.best_segment_of("wave", bytes));
  }
  EXPECT_NE(children(lay(Collective::bcast, "wave", &*knowledge.cluster, placement, 3, 1)),
            children(lay(Collective::bcast, "wave", &*knowledge.cluster, placement, 3, 1U << 20U)));
  EXPECT_EQ(decider.decide(100'000, OperandOrder::any, parse_wish(Collective::bcast, "linear"), true).laid_for_bytes,
            0U);
  EXPECT_FALSE(parse_wish(Collective::reduce, "wave").has_one_order);  // another size, another tree
}

/// Whatever the root and the size: what `auto` runs is never predicted slower than what it ran before there were trees
/// by sites, but for what predictions of lines may be off.
TEST(Decider, IsNeverSlowerByTreesThatKnowSites) {
  for (const char* const name : {"two-site", "four-site"}) {
    const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml")};
    const Placement placement = block_placement(*knowledge.cluster, 1);
    for (Rank root = 0; root < placement.size(); root += 3) {
      Decider decider(knowledge, Collective::bcast, placement, root);
      for (std::uint64_t bytes = 1; bytes <= std::uint64_t{1} << 24; bytes *= 4) {
        const Decision runs = decider.decide(bytes, OperandOrder::any, {}, false);
        double least_s = std::numeric_limits<double>::infinity();
        double runs_s = least_s;
        for (const Prediction& one : decider.predictions(bytes)) {
          if (one.algorithm == runs.algorithm) runs_s = one.seconds;
          if (!one.algorithm.starts_with("by-sites")) least_s = std::min(least_s, one.seconds);
        }
        EXPECT_LE(runs_s, usual_margin * least_s) << name << " " << root << " " << bytes << " " << runs.algorithm;
      }
    }
  }
}

/// Two ranks of one host under a library.
std::string runs_on_one_host(const Knowledge& knowledge, std::uint64_t bytes, std::string* reason = nullptr) {
  const Placement placement(2, 5);
  Decider decider(knowledge, Collective::bcast, placement, 0);
  const Decision decision = decider.decide(bytes, OperandOrder::any, Wish(), true);
  if (reason != nullptr) *reason = decision.reason;
  return decision.is_native() ? "native" : std::string(decision.algorithm);
}

Knowledge of_one_host(const char* costs) {
  return {.hosts = host_costs_named(costs), .cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml")};
}

TEST(Decision, OnOneHostTakesMemoryWhereItIsFaster) {
  const Knowledge knowledge = of_one_host("openmpi");
  EXPECT_EQ(runs_on_one_host(knowledge, 1U << 20), "flat");
  EXPECT_EQ(runs_on_one_host(knowledge, 600), "native");
}

TEST(Decision, OnOneHostIsNativeWithoutMemory) {
  Knowledge knowledge = of_one_host("openmpi");
  knowledge.host_memory = false;
  std::string reason;
  EXPECT_EQ(runs_on_one_host(knowledge, 1U << 20, &reason), "native");
  EXPECT_EQ(reason, "all ranks on one host, and they share no memory (TRUNKLINE_HOST_MEMORY)");
  knowledge.stay_on_one_host();
  EXPECT_GT(knowledge.floor_of(Collective::bcast), std::uint64_t{1} << 30);
}

TEST(Decision, SaysBelowWhichSizeACallIsNativeAnyway) {
  const Knowledge slow = of_slow_links();
  Knowledge alone = of_one_host("openmpi");
  alone.stay_on_one_host();
  Knowledge reproducible = slow;
  reproducible.reproducible = true;
  constexpr std::uint64_t longest = std::numeric_limits<std::uint64_t>::max();
  for (const Knowledge& knowledge : {slow, alone, reproducible, Knowledge()}) {
    for (const Wish::Kind kind : {Wish::Kind::automatic, Wish::Kind::native, Wish::Kind::forced}) {
      for (const CollectiveFacts& one : collectives()) {
        Wish wish;
        wish.kind = kind;
        const std::uint64_t below = native_anyway_below(knowledge, one.collective, wish);
        for (const std::uint64_t bytes : {std::uint64_t{1}, below - 1, below, below + 1, longest - 1}) {
          if (bytes == 0 || bytes == longest) continue;
          EXPECT_EQ(native_anyway(knowledge, one.collective, wish, bytes) != nullptr, bytes < below)
              << one.name << " " << bytes << " " << below;
        }
      }
    }
  }
}

TEST(Decision, OnOneHostLooksAtNoCallThatStaysNativeAnyway) {
  for (const char* const costs : {"mpich", "mpich-5", "openmpi", "free"}) {
    const Knowledge before = of_one_host(costs);
    Knowledge knowledge = before;
    knowledge.stay_on_one_host();
    const std::uint64_t floor = knowledge.floor_of(Collective::bcast);
    EXPECT_GE(floor, least_bytes);
    for (std::uint64_t bytes = 1; bytes < (1U << 24); bytes = bytes * 5 / 4 + 1) {
      EXPECT_EQ(runs_on_one_host(knowledge, bytes), runs_on_one_host(before, bytes)) << costs << " " << bytes;
      EXPECT_TRUE(bytes >= floor || runs_on_one_host(before, bytes) == "native") << costs << " " << bytes;
    }
    for (std::uint64_t ranks = 3; ranks < 20; ++ranks) {
      const Placement placement(ranks, 5);
      Decider decider(before, Collective::bcast, placement, 0);
      EXPECT_TRUE(decider.decide(floor - 1, OperandOrder::any, Wish(), false).is_native()) << costs << " " << ranks;
    }
  }
}

}  // namespace
}  // namespace trunkline
