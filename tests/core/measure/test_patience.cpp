// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "patience.hpp"

namespace trunkline::measure {
namespace {

TEST(PatienceDeathTest, EndsAJobWhoseHostsDoNotReachEachOther) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Patience patience(0.05, "h0 - h7");
        std::this_thread::sleep_for(std::chrono::hours(1));
      },
      ::testing::ExitedWithCode(1), "h0 - h7: not measured within 0.05 s; do they reach each other\\?");
}

TEST(Patience, IsOverWithWhatItWaitsFor) {
  for (int i = 0; i < 100; ++i) const Patience patience(3600.0, "h0 - h7");
}

}  // namespace
}  // namespace trunkline::measure
