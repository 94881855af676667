// SPDX-License-Identifier: Apache-2.0
#include "choose/choose.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "model/native/rules.hpp"
#include "network/placement.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

using testing::one_switch;

TEST(Choice, OnOneHostFollowsWhatWasMeasured) {
  const auto runs = [](Collective collective, const char* costs, std::uint64_t bytes) {
    const Alternatives facts = alternatives_of(collective, one_switch(16), Placement(2, 3), 0, NativeLibrary::mpich,
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
        alternatives_of(Collective::allreduce, one_switch(16), Placement(2, 3), 0, NativeLibrary::mpich, hosts);
    return choose(facts, 1U << 20).algorithm;
  };
  EXPECT_EQ(runs("xeon"), "native");
  EXPECT_EQ(runs("epyc"), "native");
  EXPECT_EQ(runs("epyc-near"), "halving-doubling");  // measured under Intel MPI, too
}

TEST(Choice, OnOneHostIsNativeWhereNothingIsKnownOfTheLibrary) {
  const Alternatives facts = alternatives_of(Collective::bcast, one_switch(16), Placement(8, 3), 0,
                                             NativeLibrary::mpich, host_costs_named("free"));
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
  const Alternatives facts = alternatives_of(collective, one_switch(16), Placement(ranks, 3), 0, NativeLibrary::mpich,
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

}  // namespace
}  // namespace trunkline
