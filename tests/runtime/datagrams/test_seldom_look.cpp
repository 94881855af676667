// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "execute/multicast/seldom_look.hpp"

namespace trunkline::runtime {
namespace {

unsigned turns_to_a_look(SeldomLook& seldom) {
  unsigned turns = 1;
  while (seldom.puts_off(true) && turns < 100) ++turns;
  return turns;
}

TEST(SeldomLook, RankThatGetsOnLooksAtMessagesEveryEighthTurn) {
  SeldomLook seldom;
  for (int round = 0; round < 3; ++round) EXPECT_EQ(turns_to_a_look(seldom), 8U);
}

TEST(SeldomLook, RankThatDoesNotGetOnLooksAtOnceAndCountsAnew) {
  SeldomLook seldom;
  EXPECT_FALSE(seldom.puts_off(false));
  for (int turn = 0; turn < 5; ++turn) EXPECT_TRUE(seldom.puts_off(true));
  EXPECT_FALSE(seldom.puts_off(false));
  EXPECT_EQ(turns_to_a_look(seldom), 8U);
}

}  // namespace
}  // namespace trunkline::runtime
