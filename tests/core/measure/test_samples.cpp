// SPDX-License-Identifier: Apache-2.0
// When a measured median is known well enough, and when nothing is known.
#include "samples.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace trunkline::measure {
namespace {

Samples of(std::initializer_list<double> values) {
  Samples samples;
  for (const double value : values) samples.add(value);
  return samples;
}

TEST(Samples, OfOneValueHaveNoSpread) {
  const Samples equal = of({2, 2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(equal.median(), 2.0);
  EXPECT_EQ(equal.spread(), 0.0);
  EXPECT_TRUE(equal.enough({}, 0.0));
}

TEST(Samples, SpreadIsHalfOfTheIntervalOverTheMedian) {
  // Nine values: places 4.5 - 2.94 and 4.5 + 2.94, rounded outwards.
  EXPECT_DOUBLE_EQ(of({1, 2, 3, 4, 10, 11, 12, 13, 14}).spread(), (14.0 - 2.0) / 2 / 10.0);
  EXPECT_FALSE(of({1, 2, 3, 4, 10, 11, 12, 13, 14}).enough({}, 0.0));
}

TEST(Samples, OfDifferencesAroundZeroTellNothing) {
  EXPECT_EQ(of({0, 0, 0, 0, 0, 0, 0, 0, 0}).spread(), 1.0);
  EXPECT_EQ(of({-3, -2, -1, -1, -1, -1, 0, 1, 2}).spread(), 1.0);
  EXPECT_FALSE(of({0, 0, 0, 0, 0, 0, 0, 0, 0}).enough({}, 0.0));
}

TEST(Samples, BelowSixThereIsNoInterval) { EXPECT_EQ(of({1, 1, 1, 1, 1}).spread(), 1.0); }

TEST(Samples, AreEnoughOnceTheTimeIsUp) {
  const Samples wide = of({1, 2, 3, 4, 10, 11, 12, 13, 14});
  EXPECT_TRUE(wide.enough({.seconds = 0.5}, 0.6));
  EXPECT_FALSE(of({1, 2, 3}).enough({.seconds = 0.5}, 0.6));
  EXPECT_TRUE(of({1, 2, 3, 4, 10, 11}).enough({.seconds = 0.5}, 0.6));
}

}  // namespace
}  // namespace trunkline::measure
