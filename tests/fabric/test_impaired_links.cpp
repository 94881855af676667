// SPDX-License-Identifier: Apache-2.0
// Loss, damage, copies and overtaking on chosen links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "frame.hpp"
#include "impair/damage.hpp"
#include "line.hpp"
#include "network/file/impaired.hpp"
#include "transit.hpp"

namespace trunkline::fabric {
namespace {

using testing::ElementsAre;

constexpr Nanoseconds microsecond_ns = 1000;
constexpr Burden hundred_bytes{100, 100, 1};
constexpr unsigned many = 20000;

/// Within five standard deviations of what a binomial distribution has in the mean.
void expect_share(std::uint64_t hits, unsigned of, double share) {
  const double mean = of * share;
  EXPECT_NEAR(static_cast<double>(hits), mean, 5 * std::sqrt(mean * (1 - share)));
}

std::vector<Delivery> send(Transit& transit, HostIndex to, unsigned frames, Nanoseconds every = 1000 * microsecond_ns) {
  std::vector<Delivery> due;
  for (unsigned i = 0; i < frames; ++i) transit.enter(0, to, i, hundred_bytes, i * every);
  transit.advance(Transit::never - 1, due);
  for (const Delivery& delivery : due) transit.delivered(delivery.frame);
  return due;
}

std::vector<FrameId> lost_of(const std::vector<Delivery>& arrived, unsigned sent) {
  std::vector<bool> there(sent, false);
  for (const Delivery& delivery : arrived) there[delivery.frame] = true;
  std::vector<FrameId> lost;
  for (FrameId id = 0; id < sent; ++id) {
    if (!there[id]) lost.push_back(id);
  }
  return lost;
}

struct Lab {
  explicit Lab(const Cluster& cluster, std::uint64_t seed = 1) : network(cluster, 0), transit(network, {}, seed) {}
  Network network;
  Transit transit;
};

TEST(ImpairedLinks, LoseTheirShareAndCountIt) {
  Lab lab(impaired(line_of_switches(1, 2), "loss", "h1=5%"));
  const auto arrived = send(lab.transit, 1, many);
  expect_share(many - arrived.size(), many, 0.05);
  EXPECT_EQ(lab.transit.finished().size(), many);
  const ChannelId to_h1 = lab.network.towards(0, 1);
  EXPECT_EQ(lab.transit.fates(to_h1).lost, many - arrived.size());
  EXPECT_EQ(lab.transit.fates(to_h1 ^ 1U).lost, 0U);
  EXPECT_EQ(lab.transit.counters()[to_h1].frames, many) << "a lost frame takes its time on the wire";
}

TEST(ImpairedLinks, LoseCopiesOfAMulticastEachByItself) {
  Lab lab(impaired(line_of_switches(1, 3), "loss", "h[1-2]=10%"));
  const auto arrived = send(lab.transit, every_host, many);
  unsigned at_one = 0;
  for (const Delivery& delivery : arrived) at_one += delivery.host == 1 ? 1 : 0;
  expect_share(lost_of(arrived, many).size(), many, 0.1 * 0.1);
  expect_share(many - at_one, many, 0.1);
  expect_share(2 * many - arrived.size(), 2 * many, 0.1);
}

TEST(ImpairedLinks, HarmTheSameFramesWithTheSameSeedWhateverElseTheNetworkCarries) {
  const Cluster cluster = impaired(line_of_switches(1, 3), "loss", "2%");
  Lab one(cluster, 7);
  Lab other(cluster, 7);
  Lab seeded_otherwise(cluster, 8);
  for (FrameId id = 0; id < 500; ++id) other.transit.enter(2, 0, 100'000 + id, hundred_bytes, 0);
  std::vector<Delivery> aside;
  other.transit.advance(Transit::never - 1, aside);
  const auto lost = lost_of(send(one.transit, 1, 2000), 2000);
  EXPECT_EQ(lost_of(send(other.transit, 1, 2000), 2000), lost);
  EXPECT_NE(lost_of(send(seeded_otherwise.transit, 1, 2000), 2000), lost);
}

TEST(ImpairedLinks, SendCopiesThatTakeTheirTimeOnTheWire) {
  Lab lab(impaired(line_of_switches(1, 2), "duplicate", "h1=100%"));
  const auto arrived = send(lab.transit, 1, 2, 100 * microsecond_ns);
  std::vector<Nanoseconds> times;
  for (const Delivery& delivery : arrived) times.push_back(delivery.due / microsecond_ns);
  EXPECT_THAT(times, ElementsAre(220U, 320U, 420U, 520U));
  EXPECT_THAT(lab.transit.finished(), ElementsAre(0U, 1U));
  EXPECT_EQ(lab.transit.fates(lab.network.towards(0, 1)).duplicated, 2U);
  EXPECT_EQ(lab.transit.counters()[lab.network.towards(0, 1)].frames, 4U);
}

TEST(ImpairedLinks, HoldFramesBackSoThatLaterOnesOvertake) {
  Lab lab(impaired(impaired(line_of_switches(1, 2), "reorder", "h1=10%"), "reorder_by", "350us"));
  const auto arrived = send(lab.transit, 1, many, 100 * microsecond_ns);
  ASSERT_EQ(arrived.size(), many);
  unsigned late = 0;
  for (const Delivery& delivery : arrived) {
    const Nanoseconds usual = delivery.frame * 100 * microsecond_ns + 220 * microsecond_ns;
    late += delivery.due == usual + 350 * microsecond_ns ? 1 : 0;
    EXPECT_TRUE(delivery.due == usual || delivery.due == usual + 350 * microsecond_ns);
  }
  expect_share(late, many, 0.1);
  EXPECT_FALSE(std::ranges::is_sorted(arrived, {}, &Delivery::frame));
  EXPECT_EQ(lab.transit.fates(lab.network.towards(0, 1)).reordered, late);
}

TEST(ImpairedLinks, HoldFramesForThreeFullOnesWhereNoTimeIsGiven) {
  Lab lab(impaired(line_of_switches(1, 2), "reorder", "h1=100%"));
  EXPECT_EQ(send(lab.transit, 1, 1).front().due, (220 + 3 * 1538) * microsecond_ns);
}

TEST(ImpairedLinks, SayWhichFramesAreDamaged) {
  Lab lab(impaired(impaired(line_of_switches(1, 2), "corrupt", "h1=5%"), "garble", "h0=5%"));
  const auto arrived = send(lab.transit, 1, many);
  const auto damaged = std::ranges::count_if(arrived, [](const Delivery& d) { return d.damage != 0; });
  expect_share(static_cast<std::uint64_t>(damaged), many, 1 - 0.95 * 0.95);
  expect_share(lab.transit.fates(lab.network.towards(0, 1)).corrupted, many, 0.05);
  expect_share(lab.transit.fates(lab.network.towards(lab.network.node_of(0), 1)).garbled, many, 0.05);
}

TEST(ImpairedLinks, DoNothingWhileSwitchedOff) {
  Lab lab(impaired(line_of_switches(1, 2), "loss", "50%"));
  lab.transit.impair(false);
  EXPECT_EQ(send(lab.transit, 1, 1000).size(), 1000U);
  lab.transit.impair(true);
  EXPECT_LT(send(lab.transit, 1, 1000).size(), 1000U);
}

}  // namespace
}  // namespace trunkline::fabric
