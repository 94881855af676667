// SPDX-License-Identifier: Apache-2.0
#include "lateness.hpp"

#include <gtest/gtest.h>

namespace trunkline::fabric {
namespace {

TEST(LatenessTest, EarlyAndLateBalanceInTheMean) {
  Lateness lateness;
  lateness.add(-3000);
  lateness.add(5000);
  const Lateness::Summary summary = lateness.summary();
  EXPECT_EQ(summary.count, 2U);
  EXPECT_DOUBLE_EQ(summary.mean_s, 1e-6);
  EXPECT_DOUBLE_EQ(summary.mean_off_s, 4e-6);
  EXPECT_DOUBLE_EQ(summary.max_s, 5e-6);
}

TEST(LatenessTest, TheNinetyNinthPercentileLeavesOneInAHundredAbove) {
  Lateness lateness;
  for (int i = 1; i <= 1000; ++i) {
    lateness.add(i <= 990 ? 20'000 : 3'000'000);
  }
  EXPECT_NEAR(lateness.summary().p99_s, 20e-6, 1.5e-6);
  lateness.add(3'000'000);
  EXPECT_GT(lateness.summary().p99_s, 1e-3);
  EXPECT_LE(lateness.summary().p99_s, 3e-3);
}

TEST(LatenessTest, NothingAddedIsAllZero) { EXPECT_EQ(Lateness().summary().count, 0U); }

TEST(LatenessTest, HoursDoNotOverflowTheHistogram) {
  Lateness lateness;
  lateness.add(std::int64_t{3600} * 1'000'000'000 * 5);
  EXPECT_DOUBLE_EQ(lateness.summary().max_s, 18000.0);
}

}  // namespace
}  // namespace trunkline::fabric
