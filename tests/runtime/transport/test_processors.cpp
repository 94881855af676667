// SPDX-License-Identifier: Apache-2.0
#include "transport/processors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace trunkline::runtime {
namespace {

const auto online = static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));

constexpr OnMachine rank_on(std::uint64_t machine, std::uint64_t allowed, std::uint64_t processors) {
  return {.machine = machine, .allowed = allowed, .processors = processors};
}

TEST(Machine, HasTheRanksOfAllItsContainers) {
  const std::vector<OnMachine> all{rank_on(1, 7, online), rank_on(2, 7, online), rank_on(1, 7, online)};
  EXPECT_EQ(machine_of(all, all[0]).ranks, 2U);
  EXPECT_EQ(machine_of(all, all[1]).ranks, 1U);
  EXPECT_EQ(machine_of(all, all[0]).processors, online);
  EXPECT_EQ(machine_of(all, all[0]).is_crowded, online < 2);
}

TEST(Machine, IsCrowdedWhereRanksAreMoreThanProcessors) {
  const std::vector<OnMachine> all(online + 1, rank_on(1, 7, online));
  EXPECT_TRUE(machine_of(all, all[0]).is_crowded);
}

TEST(Machine, IsCrowdedWhereTwoRanksAreBoundToOneProcessor) {
  const std::vector<OnMachine> all{rank_on(1, 7, 1), rank_on(1, 7, 1), rank_on(1, 9, 8)};
  EXPECT_TRUE(machine_of(all, all[2]).is_crowded);
}

TEST(Machine, OfRanksWithProcessorsOfTheirOwn) {
  const std::vector<OnMachine> all{rank_on(1, 7, 1), rank_on(1, 9, 1)};
  EXPECT_EQ(machine_of(all, all[0]).processors, std::min<std::uint64_t>(online, 2));
  EXPECT_EQ(machine_of(all, all[0]).is_crowded, online < 2);
}

TEST(Machine, IsTheSameForARankThatLooksTwice) {
  const OnMachine one = own_machine();
  const OnMachine other = own_machine();
  EXPECT_EQ(one.machine, other.machine);
  EXPECT_EQ(one.allowed, other.allowed);
  EXPECT_GE(one.processors, 1U);
  EXPECT_LE(one.processors, online);
}

}  // namespace
}  // namespace trunkline::runtime
