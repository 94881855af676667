// SPDX-License-Identifier: Apache-2.0
#include "learn/rehearsal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace trunkline {
namespace {

std::vector<Arm> arms_of(const std::vector<double>& predicted_ms) {
  std::vector<Arm> arms;
  for (std::size_t at = 0; at < predicted_ms.size(); ++at) {
    arms.push_back(
        {.algorithm = at == 0 ? "native" : "tree", .segment_bytes = at, .predicted_s = predicted_ms[at] * 1e-3});
  }
  return arms;
}

struct Course {
  double lost_s = 0.0;        ///< in truth, beside native calls
  double truly_over_s = 0.0;  ///< by how much that was more than was allowed, at some moment
  std::size_t runs = 0;
  std::uint64_t settled_after = 0;  ///< calls; 0: it did not settle
  std::uint64_t changes = 0;
};

/// A program that makes `calls` calls. `mean`: of the times of each arm.
Course run(const std::vector<double>& predicted_ms, std::size_t first, const CallClock& clock, std::uint64_t calls,
           const CallClock& mean) {
  double took = 0.0;
  Course course;
  const Rehearsal found =
      rehearse(Trials(arms_of(predicted_ms), first), calls, [&](std::size_t arm, std::uint64_t done) {
        const double took_s = clock(arm, done);
        took += took_s;
        course.lost_s += mean(arm, done) - mean(0, done);
        course.truly_over_s = std::max(course.truly_over_s, course.lost_s - granted_loss_s - most_lost_share * took);
        return took_s;
      });
  course.runs = found.runs;
  course.settled_after = found.settled_after;
  course.changes = found.changes;
  return course;
}

Course run(const std::vector<double>& predicted_ms, std::size_t first, const CallClock& clock, std::uint64_t calls) {
  return run(predicted_ms, first, clock, calls, clock);
}

class Noise {
 public:
  explicit Noise(unsigned seed) : random_(seed) {}
  double scattered(double seconds, double sigma) { return seconds * std::exp(sigma * normal_(random_)); }
  /// One in a hundred waits for a retransmission.
  double heavy(double seconds) {
    return scattered(seconds, 0.1) * (uniform_(random_) < 0.01 ? 1.0 / std::max(uniform_(random_), 0.02) : 1.0);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_{};
  std::uniform_real_distribution<double> uniform_{};
};

TEST(Trials, FindsAFasterOneThatWasNotPredicted) {
  const std::vector<double> truth{2e-3, 1e-3, 0.5e-3};
  const Course course = run(
      {2, 0.8, 1.2}, 1, [&](std::size_t arm, std::uint64_t) { return truth[arm]; }, 400);
  EXPECT_EQ(course.runs, 2U);
  EXPECT_LE(course.settled_after, 120U);
}

TEST(Trials, GoesBackToNativeWhereThatIsFaster) {
  const std::vector<double> truth{0.5e-3, 1e-3, 0.8e-3};
  const Course course = run(
      {2, 0.8, 1.2}, 1, [&](std::size_t arm, std::uint64_t) { return truth[arm]; }, 400);
  EXPECT_EQ(course.runs, 0U);
  EXPECT_LT(course.lost_s, granted_loss_s + most_lost_share * 400 * 0.5e-3);
}

TEST(Trials, AProgramOfTenCallsSeesNone) {
  Trials trials(arms_of({2, 1, 1}), 1);
  for (std::uint64_t call = 0; call < 10; ++call) EXPECT_EQ(trials.arm_of(call), 1U);
}

TEST(Trials, WhatIsNotCoveredIsNotTried) {
  const auto clock = [](std::size_t arm, std::uint64_t) {
    EXPECT_NE(arm, 2U);
    return 41e-3;
  };
  // One call that takes twice what is predicted would lose 49 ms, and nothing is saved.
  run({50, 40, 45}, 1, clock, 60);
}

TEST(Trials, TimesThatChangeAreTriedAnew) {
  const auto clock = [](std::size_t arm, std::uint64_t calls) {
    if (arm == 0) return 4e-3;
    return (arm == 1) == (calls < 3000) ? 1e-3 : 2e-3;
  };
  const Course course = run({4, 1, 1.5}, 1, clock, 8000);
  EXPECT_EQ(course.changes, 1U);
  EXPECT_EQ(course.runs, 2U);
}

TEST(Trials, WhatBecomesALittleSlowerThanNativeIsGivenUpOnceAllIsSpent) {
  const auto clock = [](std::size_t arm, std::uint64_t calls) {
    if (arm == 0) return 1e-3;
    return arm == 2 ? 2e-3 : calls < 2000 ? 0.9e-3 : 1.07e-3;  // less than what counts as a change
  };
  constexpr std::uint64_t calls = 60000;
  const Course course = run({1.2, 0.8, 1.1}, 1, clock, calls);
  EXPECT_LT(course.lost_s, granted_loss_s + most_lost_share * calls * 1e-3 + 512 * 0.07e-3);
  EXPECT_GT(course.changes, 0U);
}

TEST(Trials, TellWhatWasCountedAlsoWhileAllIsTriedAnew) {
  const std::vector<double> truth_s{2e-3, 1.5e-3, 1e-3};
  Trials trials(arms_of({2, 3, 1}), 1);
  LossAccount account(granted_loss_s);
  for (int interval = 0; interval < 200; ++interval) {
    std::vector<double> seconds;
    const double slower = interval > 100 ? 3.0 : 1.0;
    for (std::uint64_t call = 0; call < 40; ++call) seconds.push_back(slower * truth_s[trials.arm_of(call)]);
    trials.end_interval(40, seconds, account);
    if (trials.changes() > 0) break;
    if (trials.is_settled()) {
      EXPECT_EQ(trials.counted().runs_s, trials.usual_s()) << "of what runs from now on";
    }
    double left_s = account.left_s();
    trials.begin_interval(left_s);
  }
  ASSERT_EQ(trials.changes(), 1U);
  EXPECT_EQ(trials.samples(0).count(), 0U);
  EXPECT_LT(trials.lost_s(), 0.0);
  EXPECT_GE(trials.counted().native_s, 2e-3);
  EXPECT_EQ(trials.counted().arm, 2U);
}

TEST(Trials, OneArmIsSettled) {
  Trials trials({Arm{}}, 0);
  EXPECT_TRUE(trials.is_settled());
  EXPECT_THROW(Trials({Arm{.segment_bytes = 8}}, 0), std::invalid_argument);
}

struct Sort {
  const char* name;
  std::vector<double> truth_ms;
  double sigma;             ///< below 0: heavy tails
  std::uint64_t drifts_at;  ///< calls after which each arm takes what the next one took; 0: never
  double most_over_ms;
};

// Ten thousand programs of seven sorts, each by its seed (docs/results/learning.md). What is lost by calls before
// native ones were measured is not covered, nor is the first call of an arm that takes many times what it is predicted
// to.
TEST(Trials, LosesNoMoreThanWhatIsCovered) {
  const std::vector<Sort> sorts{
      {"alike", {1, 1, 1, 1}, 0.1, 0, 0},
      {"one is faster", {3, 1, 0.8, 2}, 0.1, 0, 0},
      {"native is best", {1, 2, 3, 1.5}, 0.1, 0, 10},
      {"two are terrible", {1, 0.9, 50, 80}, 0.1, 0, 200},
      {"scattered", {1, 0.9, 1.2, 1.1}, 0.5, 0, 1},
      {"heavy tails", {1, 0.9, 1.3, 2}, -1, 0, 10},
      {"others later", {1, 0.5, 2, 0.9}, 0.1, 2000, 15},
  };
  for (const Sort& sort : sorts) {
    std::vector<double> over_ms;
    std::vector<double> lost_ms;
    std::vector<double> settled_after;
    int best = 0;
    constexpr unsigned programs = 1500;
    constexpr std::uint64_t calls = 3000;
    for (unsigned seed = 0; seed < programs; ++seed) {
      Noise noise(seed);
      const auto mean = [&](std::size_t arm, std::uint64_t done) {
        const bool is_later = sort.drifts_at != 0 && done >= sort.drifts_at;
        return 1e-3 * sort.truth_ms[is_later ? (arm + 1) % sort.truth_ms.size() : arm];
      };
      const auto clock = [&](std::size_t arm, std::uint64_t done) {
        return sort.sigma < 0 ? noise.heavy(mean(arm, done)) : noise.scattered(mean(arm, done), sort.sigma);
      };
      const Course course = run({1.2, 0.8, 1.1, 1}, 1, clock, calls, mean);
      over_ms.push_back(course.truly_over_s * 1e3);
      lost_ms.push_back(course.lost_s * 1e3);
      settled_after.push_back(static_cast<double>(course.settled_after));
      double least = mean(0, calls);
      for (std::size_t arm = 1; arm < sort.truth_ms.size(); ++arm) least = std::min(least, mean(arm, calls));
      best += mean(course.runs, calls) == least ? 1 : 0;
    }
    for (auto* all : {&over_ms, &lost_ms, &settled_after}) std::ranges::sort(*all);
    std::printf("%-16s over %5.1f ms at most; lost %8.1f ms, at most %6.1f; settled after %4.0f calls; best %4.1f %%\n",
                sort.name, over_ms.back(), lost_ms[programs / 2], lost_ms.back(), settled_after[programs / 2],
                100.0 * best / programs);
    EXPECT_LE(over_ms.back(), sort.most_over_ms) << sort.name;
  }
}

}  // namespace
}  // namespace trunkline
