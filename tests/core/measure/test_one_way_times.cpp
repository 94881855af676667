// SPDX-License-Identifier: Apache-2.0
// One-way times between two hosts, by clocks that are apart, that nobody keeps, or that jump.
#include "one_way_times.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace trunkline::measure {
namespace {

constexpr double ms = 1e-3;

ClockCard card(const char* boot, double most_s) {
  ClockCard made;
  std::strncpy(made.boot, boot, sizeof made.boot - 1);
  made.is_told = 1;
  made.is_synced = 1;
  made.most_s = most_s;
  return made;
}

/// Between 0 and `most`.
rc::Gen<double> upto(double most) {
  return rc::gen::map(rc::gen::inRange(0, 1'000'001), [most](int part) { return most * part / 1e6; });
}

RC_GTEST_PROP(OneWayTimes, AreOffByNoMoreThanStated, ()) {
  const double way_s[2] = {*upto(50 * ms), *upto(50 * ms)};
  const double most_s[2] = {*upto(5 * ms), *upto(5 * ms)};
  // Each clock is off by no more than its host says; how much, nobody knows.
  const double off_s[2] = {most_s[0] * (2 * *upto(1.0) - 1), most_s[1] * (2 * *upto(1.0) - 1)};
  OneWaySamples samples;
  const int count = *rc::gen::inRange(2, 30);
  for (int i = 0; i < count; ++i) {
    // The quickest message waits for nothing.
    const double waited_s[2] = {i == 0 ? 0.0 : *upto(2 * ms), i == 0 ? 0.0 : *upto(2 * ms)};
    samples.there_s.push_back(way_s[0] + waited_s[0] + off_s[1] - off_s[0]);
    samples.back_s.push_back(way_s[1] + waited_s[1] + off_s[0] - off_s[1]);
  }
  const OneWayTimes times = one_way_times(samples, {card("a", most_s[0]), card("b", most_s[1])});
  RC_ASSERT(times.fault == ClockFault::none);
  RC_ASSERT(times.error_s >= most_s[0] + most_s[1]);
  for (std::size_t i = 0; i < 2; ++i) RC_ASSERT(std::abs(times.seconds[i] - way_s[i]) <= times.error_s);
  RC_ASSERT(std::abs((times.seconds[0] - times.seconds[1]) - (way_s[0] - way_s[1])) <= 2 * times.error_s);
  // Both ways together are free of the clocks.
  RC_ASSERT(std::abs(times.seconds[0] + times.seconds[1] - way_s[0] - way_s[1]) < 1e-9);
}

TEST(OneWayTimes, OfOneKernelHaveNoErrorOfClocks) {
  const std::vector<double> there(8, 20 * ms);
  const std::vector<double> back(8, 5 * ms);
  ClockCard alone = card("a", 16.0);
  alone.is_synced = 0;
  const OneWayTimes times = one_way_times({there, back}, {alone, alone});
  EXPECT_EQ(times.fault, ClockFault::none);
  EXPECT_DOUBLE_EQ(times.seconds[0], 20 * ms);
  EXPECT_DOUBLE_EQ(times.seconds[1], 5 * ms);
  EXPECT_LE(times.error_s, 1e-6);
  // A copy of a running machine whose clock was set since then has another one, and so has one of a time namespace.
  ClockCard copied = alone;
  copied.apart_ns[0] = copied.apart_ns[1] = 5'000'000;
  EXPECT_EQ(one_way_times({there, back}, {alone, copied}).fault, ClockFault::not_synced);
  EXPECT_EQ(one_way_times({there, back}, {copied, alone}).fault, ClockFault::not_synced);
  // A host that does not know its boot is no other one.
  EXPECT_EQ(one_way_times({there, back}, {card("", 1 * ms), card("", 1 * ms)}).error_s, 2 * ms + 1e-6);
}

TEST(OneWayTimes, AreNotKnownByClocksThatNobodyKeeps) {
  const OneWaySamples samples{.there_s = {20 * ms, 20 * ms}, .back_s = {5 * ms, 5 * ms}};
  const ClockCard good = card("a", 1 * ms);
  const auto of = [&](auto change, bool is_both = false) {
    ClockCard bad = card("b", 1 * ms);
    ClockCard first = good;
    change(bad);
    if (is_both) change(first);
    return one_way_times(samples, {first, bad});
  };
  EXPECT_EQ(of([](ClockCard&) {}).fault, ClockFault::none);
  EXPECT_EQ(of([](ClockCard& one) { one.is_synced = 0; }).fault, ClockFault::not_synced);
  EXPECT_EQ(of([](ClockCard& one) { one.is_synced = 0; }).at_fault, 2);
  EXPECT_EQ(of([](ClockCard& one) { one.is_synced = 0; }, true).at_fault, 3);
  EXPECT_EQ(of([](ClockCard& one) { one.is_told = 0; }).fault, ClockFault::not_told);
  EXPECT_EQ(of([](ClockCard& one) { one.was_set = 1; }).fault, ClockFault::was_set);
  ClockCard jumped = good;
  jumped.was_set = 1;
  const OneWayTimes times = one_way_times(samples, {jumped, good});  // one kernel, so both were set
  EXPECT_EQ(times.fault, ClockFault::was_set);
  EXPECT_EQ(times.at_fault, 1);
}

TEST(OneWayTimes, AreNotKnownWhereMessagesComeBeforeTheyLeave) {
  const OneWaySamples samples{.there_s = {-4 * ms, -4 * ms}, .back_s = {20 * ms, 20 * ms}};
  EXPECT_EQ(one_way_times(samples, {card("a", 1 * ms), card("b", 1 * ms)}).fault, ClockFault::impossible);
  EXPECT_EQ(one_way_times(samples, {card("a", 2 * ms), card("b", 3 * ms)}).fault, ClockFault::none);
}

TEST(OneWayTimes, NeedTwoSamples) {
  EXPECT_EQ(one_way_times({{20 * ms}, {5 * ms}}, {card("a", 0), card("b", 0)}).fault, ClockFault::few_samples);
  EXPECT_TRUE(std::isinf(error_of_least(std::vector<double>{1.0})));
}

TEST(OneWayTimes, HaveAnErrorOfTheLeastThatHoldsNineteenTimesOfTwenty) {
  std::mt19937_64 lot(1);  // NOLINT: the same in every run
  std::exponential_distribution<double> queue(1 / ms);
  std::uniform_real_distribution<double> even(0.0, 1 * ms);
  constexpr int runs = 20'000;
  for (const std::size_t count : {2U, 3U, 6U, 50U}) {
    int held[2] = {};
    for (int run = 0; run < runs; ++run) {
      std::vector<double> queued(count);
      std::vector<double> spread(count);
      std::ranges::generate(queued, [&] { return queue(lot); });
      std::ranges::generate(spread, [&] { return even(lot); });
      held[0] += std::ranges::min(queued) <= error_of_least(queued) ? 1 : 0;
      held[1] += std::ranges::min(spread) <= error_of_least(spread) ? 1 : 0;
    }
    EXPECT_GE(held[0], 0.945 * runs) << count;
    EXPECT_GE(held[1], 0.92 * runs) << count;  // of few the density ends at the other end, too
    EXPECT_LE(held[1], 0.99 * runs) << count;
  }
}

RC_GTEST_PROP(WatchedClock, IsSetWhereItIsNoMoreAsFarFromTheOther, ()) {
  WatchedClock clock;
  const std::int64_t apart = *rc::gen::inRange<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000);
  const std::int64_t jump =
      *rc::gen::oneOf(rc::gen::just<std::int64_t>(0), rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000));
  const int looks = *rc::gen::inRange(2, 20);
  const int at = *rc::gen::inRange(1, looks);
  const bool returns = *rc::gen::arbitrary<bool>();
  std::int64_t longest = 0;
  std::int64_t now = 0;
  for (int i = 0; i < looks; ++i) {
    const std::int64_t took[2] = {*rc::gen::inRange<std::int64_t>(0, 100'000),
                                  *rc::gen::inRange<std::int64_t>(0, 100'000)};
    longest = std::max(longest, took[0] + took[1]);
    const bool is_off = i == at || (i > at && !returns);
    clock.seen(now, now + took[0] + apart + (is_off ? jump : 0), now + took[0] + took[1]);
    now += took[0] + took[1] + *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
  }
  if (jump == 0) RC_ASSERT(!clock.was_set());
  // Less than it takes to look cannot be seen.
  if (std::abs(jump) > 2 * longest + 1000) RC_ASSERT(clock.was_set());
}

TEST(WatchedClock, OfThisHostIsNotSet) {
  WatchedClock clock;
  for (int i = 0; i < 1000; ++i) static_cast<void>(clock.now());
  EXPECT_FALSE(clock.was_set());
  const ClockCard told = clock_card(clock);
  EXPECT_EQ(std::strlen(told.boot), 36U);
  EXPECT_EQ(told.was_set, 0);
}

TEST(ClockCard, HoldsForAllTheTimeBetween) {
  ClockCard before = card("a", 2 * ms);
  ClockCard after = card("a", 1 * ms);
  after.is_synced = 0;
  after.was_set = 1;
  const ClockCard worse = worse_of(before, after);
  EXPECT_EQ(worse.most_s, 2 * ms);
  EXPECT_EQ(worse.is_synced, 0);
  EXPECT_EQ(worse.was_set, 1);
  EXPECT_EQ(worse_of(after, before).is_told, 1);
}

}  // namespace
}  // namespace trunkline::measure
