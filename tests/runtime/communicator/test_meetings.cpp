// SPDX-License-Identifier: Apache-2.0
#include "communicator/meetings.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace trunkline::runtime {
namespace {

/// What a program's calls are like: so many a second, of so many bytes.
struct Pace {
  double calls_a_second;
  std::uint64_t bytes;
};

/// A rank 0 with a clock of its own. Returns the seconds between meetings.
std::vector<double> meetings(const std::vector<std::pair<Pace, double>>& phases, double cost_s) {
  std::vector<double> between;
  MeetingCount count;
  MeetingInterval now;
  MeetingInterval said = now;
  double since = 0.0;
  for (const auto& [pace, lasts_s] : phases) {
    for (double at = 0.0; at < lasts_s; at += 1.0 / pace.calls_a_second) {
      since += 1.0 / pace.calls_a_second;
      if (!count.is_due(pace.bytes, now)) continue;
      const MeetingInterval counted = count.begin_anew(pace.bytes);
      now = said;
      said = next_interval(now, counted, since, cost_s);
      between.push_back(since);
      since = 0.0;
    }
  }
  return between;
}

RC_GTEST_PROP(Meetings, AreHalfASecondApartAtAnySteadyPace, ()) {
  const double pace = *rc::gen::element(0.5, 1.0, 3.0, 40.0, 1000.0, 50'000.0);
  const auto bytes = *rc::gen::element<std::uint64_t>(0, 8, 1000, 100'000, 1'000'000'000);
  const double lasts_s = 12.0 + 30.0 / pace;
  const std::vector<double> between = meetings({{{pace, bytes}, lasts_s}}, 1e-5);
  RC_ASSERT(between.size() > 2U);
  const double most = std::max(0.55, 1.1 / pace);
  RC_ASSERT(between.back() <= most);
  RC_ASSERT(between.back() >= std::min(0.45, 0.9 / pace) || between.back() >= 0.2);
}

TEST(Meetings, AreRareWhereTheyAreDear) {
  const std::vector<double> between = meetings({{{1000.0, 100}, 60.0}}, 0.03);
  EXPECT_NEAR(between.back(), 3.0, 0.1);
  // Rank 0 had no processor.
  EXPECT_NEAR(meetings({{{1000.0, 100}, 60.0}}, 2.0).back(), 5.0, 0.1);
}

TEST(Meetings, AreNotPutOffForLongWhereCallsBecomeSlowAndLong) {
  // A hundred thousand short calls a second, then a long one each second.
  const std::vector<double> between = meetings({{{1e5, 8}, 20.0}, {{1.0, 1 << 20}, 20.0}}, 1e-5);
  EXPECT_LT(*std::max_element(between.begin() + 3, between.end()), 3.0);
  EXPECT_NEAR(between.back(), 1.0, 1e-6);
  // A link slows tenfold.
  const std::vector<double> slow = meetings({{{100.0, 8192}, 20.0}, {{10.0, 8192}, 20.0}}, 1e-5);
  EXPECT_LT(*std::max_element(slow.begin() + 3, slow.end()), 6.0);
  EXPECT_NEAR(slow.back(), 0.5, 0.11);
}

TEST(Meetings, BeginSoonAndGrowStepByStep) {
  // Eight calls at once are no sign of a million more.
  EXPECT_EQ(next_interval({}, {.calls = 8, .bytes = 64}, 1e-6, 0.0),
            (MeetingInterval{.calls = 64, .bytes = 1U << 23U}));
  EXPECT_EQ(next_interval({}, {.calls = 0, .bytes = 0}, 1.0, 0.0), (MeetingInterval{.calls = 1, .bytes = 1}));
  MeetingCount count;
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(count.is_due(8, {})) << i;
  EXPECT_TRUE(count.is_due(8, {}));
  EXPECT_EQ(count.begin_anew(8), (MeetingInterval{.calls = 8, .bytes = 64}));
  EXPECT_FALSE(count.is_due(std::uint64_t{1} << 63U, {}));
  EXPECT_TRUE(count.is_due(std::uint64_t{1} << 63U, {}));
}

}  // namespace
}  // namespace trunkline::runtime
