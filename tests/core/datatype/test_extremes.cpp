// SPDX-License-Identifier: Apache-2.0
// The least and greatest numbers of operands, bit for bit: the same whichever operand comes first.
#include "datatype/extremes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace trunkline::runtime {
namespace {

template <class Number>
class Extremes : public ::testing::Test {
 protected:
  /// Operands lie where no number of that kind would be aligned.
  static Number taken(Extreme extreme, Number one, Number other) {
    std::byte in[sizeof(Number) + 1];
    std::byte inout[sizeof(Number) + 1];
    std::memcpy(in + 1, &one, sizeof(Number));
    std::memcpy(inout + 1, &other, sizeof(Number));
    take_extreme(extreme, sizeof(Number), in + 1, inout + 1, 1);
    std::memcpy(&one, inout + 1, sizeof(Number));
    return one;
  }
};

using Numbers = ::testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Extremes, Numbers);

TYPED_TEST(Extremes, OfTwoNumbers) {
  for (const TypeParam one : {TypeParam{-2}, TypeParam{0.5}, std::numeric_limits<TypeParam>::infinity()}) {
    for (const TypeParam other : {TypeParam{-1}, TypeParam{3}, -std::numeric_limits<TypeParam>::infinity()}) {
      EXPECT_EQ(this->taken(Extreme::least, one, other), std::min(one, other));
      EXPECT_EQ(this->taken(Extreme::greatest, one, other), std::max(one, other));
    }
  }
}

TYPED_TEST(Extremes, OfZerosTheSignCounts) {
  const TypeParam zero{0};
  for (const TypeParam one : {zero, -zero}) {
    EXPECT_TRUE(std::signbit(this->taken(Extreme::least, one, -one)));
    EXPECT_FALSE(std::signbit(this->taken(Extreme::greatest, one, -one)));
  }
}

TYPED_TEST(Extremes, OfWhatIsNoNumberIsNone) {
  const TypeParam none = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const Extreme extreme : {Extreme::least, Extreme::greatest}) {
    EXPECT_TRUE(std::isnan(this->taken(extreme, none, 1)));
    EXPECT_TRUE(std::isnan(this->taken(extreme, 1, none)));
  }
}

}  // namespace
}  // namespace trunkline::runtime
