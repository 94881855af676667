// SPDX-License-Identifier: Apache-2.0
#include "decide/decision.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "network/file/cluster_file.hpp"

namespace {

std::atomic<std::size_t> made = 0;
std::atomic<std::size_t> freed = 0;

}  // namespace

// Counted for the whole program: what is laid is allocated.
void* operator new(std::size_t bytes) {
  ++made;
  if (void* const at = std::malloc(bytes != 0 ? bytes : 1)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept {
  ++freed;
  std::free(at);
}
void operator delete(void* at, std::size_t /*bytes*/) noexcept {
  ++freed;
  std::free(at);
}

namespace trunkline {
namespace {

/// How often asking for the plan of an algorithm allocates.
std::size_t laid(Decider& decider, std::string_view algorithm) {
  const std::size_t before = made;
  const Plan plan = decider.plan(algorithm);
  return plan.has_steps() ? made - before : 0;
}

TEST(Decider, HandsOverThePlanThatItWasDecidedBy) {
  const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml")};
  const Placement placement = block_placement(*knowledge.cluster, 1);
  for (const Collective collective : {Collective::bcast, Collective::allreduce}) {
    Decider decider(knowledge, collective, placement, 0);
    const Decision decision = decider.decide(std::uint64_t{1} << 20, OperandOrder::any, {}, false);
    ASSERT_FALSE(decision.is_native());
    EXPECT_EQ(laid(decider, decision.algorithm), 0U) << decision.algorithm;
    EXPECT_GT(laid(decider, decision.algorithm), 0U) << decision.algorithm << ", which was handed over before";
  }
}

TEST(Decider, ForgetsPlansThatNobodyRuns) {
  const Knowledge knowledge{.cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/cyclic.yaml")};
  const Placement placement = block_placement(*knowledge.cluster, 1);
  Decider decider(knowledge, Collective::bcast, placement, 0);
  static_cast<void>(decider.decide(std::uint64_t{1} << 20, OperandOrder::any, {}, false));
  const std::size_t before = freed;
  decider.forget_plans();
  EXPECT_GT(freed, before);
  EXPECT_GT(laid(decider, "linear"), 0U);
}

}  // namespace
}  // namespace trunkline
