// SPDX-License-Identifier: Apache-2.0
#include "decide/decision.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>

#include "network/file/cluster_file.hpp"

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

}  // namespace
}  // namespace trunkline
