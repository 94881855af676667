// SPDX-License-Identifier: Apache-2.0
// Links that change while frames are under way, on numbers: times by hand, order, and no frame that is not accounted
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "line.hpp"
#include "network/file/impaired.hpp"
#include "transit.hpp"

namespace trunkline::fabric {
namespace {

using testing::ElementsAre;

constexpr Nanoseconds usec = 1000;
constexpr Burden a_hundred{100, 100, 1};

/// A transit whose links can be changed. h0 is a byte a microsecond and 10 us from s0, and so are all others.
struct Changeable {
  explicit Changeable(const Cluster& on, std::uint64_t seed = 1)
      : cluster(on), network(cluster, 0), transit(network, {}, seed) {}

  void change(const std::string& words, Nanoseconds now) {
    transit.advance(now, due);
    for (const LinkChange& one : parse_link_changes(cluster, words)) {
      for (const ChannelId id : one.channels) {
        const Network::Channel before = network.channel(id);
        network.set_state(id, one.applied_to(network.state(id)));
        transit.change(id, before, now);
      }
    }
  }

  /// Frame and time in microseconds of all that arrives.
  std::vector<std::pair<FrameId, Nanoseconds>> arrivals() {
    transit.advance(Transit::never - 1, due);
    std::vector<std::pair<FrameId, Nanoseconds>> all;
    for (const Delivery& delivery : due) {
      all.emplace_back(delivery.frame, delivery.due / usec);
      transit.delivered(delivery.frame);
    }
    due.clear();
    return all;
  }

  [[nodiscard]] std::uint64_t down_lost() const {
    return std::accumulate(transit.counters().begin(), transit.counters().end(), std::uint64_t{0},
                           [](std::uint64_t sum, const ChannelCounters& one) { return sum + one.down_lost; });
  }

  Cluster cluster;
  Network network;
  Transit transit;
  std::vector<Delivery> due{};
};

TEST(ChangedLinks, AreSlowerForWhatComesLater) {
  Changeable lab(line_of_switches(1, 2));
  lab.change("s0->h1 rate=1Mbit", 0);  // 8 us a byte
  lab.transit.enter(0, 1, 0, a_hundred, 0);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{0U, 100 + 10 + 800 + 10}));
  lab.change("s0->h1 rate=50%", 2000 * usec);
  lab.transit.enter(0, 1, 1, a_hundred, 3000 * usec);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{1U, 3000 + 100 + 10 + 200 + 10}));
}

TEST(ChangedLinks, SendWhatWaitsAtTheNewRate) {
  Changeable lab(line_of_switches(1, 2));
  for (FrameId id = 0; id < 3; ++id) lab.transit.enter(0, 1, id, a_hundred, 0);
  // At 160 the first frame has been on its way down to h1 for 50 of its 100, and the host still has the third to send.
  lab.change("s0->h1 rate=10% ; h0->s0 rate=50%", 160 * usec);
  const auto arrived = lab.arrivals();
  // The first: half of it is left, at a tenth. The second left h0 at 240 instead of 200, and waits until 660.
  EXPECT_THAT(arrived, ElementsAre(std::pair{0U, 160 + 500 + 10}, std::pair{1U, 660 + 1000 + 10},
                                   std::pair{2U, 1660 + 1000 + 10}));
}

TEST(ChangedLinks, LeaveWhatIsOnItsWayItsLatency) {
  Changeable lab(line_of_switches(1, 2, byte_per_us, 1e-3));
  lab.transit.enter(0, 1, 0, a_hundred, 0);
  lab.change("s0->h1 latency=5ms", 1150 * usec);  // the frame is in the port to h1
  lab.transit.enter(0, 1, 1, a_hundred, 1200 * usec);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{0U, 2 * 1100}, std::pair{1U, 1200 + 1100 + 5100}));
}

TEST(ChangedLinks, KeepTheOrderWhereTheyBecomeShorter) {
  Changeable lab(line_of_switches(1, 2, byte_per_us, 50e-3));
  lab.transit.enter(0, 1, 0, a_hundred, 0);
  lab.change("s0->h1 latency=0s", 50'200 * usec);  // the frame is on the way to h1 until 100'200
  lab.transit.enter(0, 1, 1, a_hundred, 10'000 * usec);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{0U, 100'200}, std::pair{1U, 100'200}));
  lab.transit.enter(0, 1, 2, a_hundred, 200'000 * usec);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{2U, 200'000 + 50'100 + 100}));
}

TEST(ChangedLinks, LoseAllThatIsOnThemWhenTheyFailAndNothingOnceTheyAreBack) {
  Changeable lab(line_of_switches(1, 2));
  for (FrameId id = 0; id < 3; ++id) lab.transit.enter(0, 1, id, a_hundred, 0);
  lab.change("s0->h1 down", 160 * usec);  // the first is on it, the others come at 210 and 310
  EXPECT_THAT(lab.arrivals(), ElementsAre());
  EXPECT_EQ(lab.down_lost(), 3U);
  EXPECT_EQ(lab.transit.finished().size(), 3U);
  lab.transit.enter(1, 0, 3, a_hundred, 1000 * usec);  // the other direction is up
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{3U, 1220}));
  lab.change("h1 up", 2000 * usec);
  lab.transit.enter(0, 1, 4, a_hundred, 2000 * usec);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{4U, 2220})) << "the queue went with the link";
  EXPECT_EQ(lab.down_lost(), 3U);
}

TEST(ChangedLinks, CopiesOfAMulticastAreLostWhereTheirLinkIsDown) {
  Changeable lab(line_of_switches(1, 3));
  lab.change("h2 down", 0);
  lab.transit.enter(0, every_host, 0, a_hundred, 0);
  EXPECT_THAT(lab.arrivals(), ElementsAre(std::pair{0U, 220}));
  EXPECT_EQ(lab.down_lost(), 1U);
  EXPECT_THAT(lab.transit.finished(), ElementsAre(0U));
}

TEST(ChangedLinks, AnotherRateOfTheWholeLabKeepsTheirProportion) {
  const Cluster cluster = line_of_switches(1, 2);
  Network network(cluster, 2 * byte_per_us);
  LinkState state = network.state(0);
  EXPECT_DOUBLE_EQ(state.rate_bps, 2 * byte_per_us);
  state.rate_bps = byte_per_us / 5;
  network.set_state(0, state);
  EXPECT_DOUBLE_EQ(network.channel(0).ns_per_byte, 5000.0);
  network.set_rate(4 * byte_per_us);
  EXPECT_DOUBLE_EQ(network.state(0).rate_bps, 2 * byte_per_us / 5);
  EXPECT_DOUBLE_EQ(network.state(0).started_bps, 4 * byte_per_us);
  EXPECT_DOUBLE_EQ(network.fastest_now_bps(), 4 * byte_per_us);
}

TEST(Jitter, IsEvenlySpreadAndKeepsTheOrder) {
  constexpr unsigned frames = 20'000;
  Changeable lab(impaired(line_of_switches(1, 2), "jitter", "h1=400us"));
  // Far apart: nobody waits behind another's delay.
  for (FrameId id = 0; id < frames; ++id) lab.transit.enter(0, 1, id, a_hundred, id * 1000 * usec);
  lab.transit.advance(Transit::never - 1, lab.due);
  double sum = 0.0;
  std::vector<unsigned> tenths(10);
  for (const Delivery& delivery : lab.due) {
    const Nanoseconds usual = delivery.frame * 1000 * usec + 220 * usec;
    ASSERT_GE(delivery.due, usual);
    ASSERT_LE(delivery.due, usual + 400 * usec);
    const double share = static_cast<double>(delivery.due - usual) / (400.0 * usec);
    sum += share;
    ++tenths[std::min<std::size_t>(static_cast<std::size_t>(share * 10), 9)];
  }
  EXPECT_NEAR(sum / frames, 0.5, 5 / std::sqrt(12.0 * frames));
  for (const unsigned count : tenths) EXPECT_NEAR(count, frames / 10, 5 * std::sqrt(frames * 0.1 * 0.9));
}

TEST(Jitter, OfADenseStreamDelaysButNeverReorders) {
  Changeable lab(impaired(line_of_switches(2, 1), "jitter", "s0-s1=5ms"));
  for (FrameId id = 0; id < 500; ++id) lab.transit.enter(0, 1, id, a_hundred, id * 100 * usec);
  const auto arrived = lab.arrivals();
  ASSERT_EQ(arrived.size(), 500U);
  EXPECT_TRUE(std::ranges::is_sorted(arrived, {}, &std::pair<FrameId, Nanoseconds>::first));
  for (const auto& [frame, at] : arrived) EXPECT_GE(at, frame * 100 + 330);
}

/// Whatever changes and when: each frame arrives once or is counted where it was lost; those between two hosts arrive
/// in the order in which they were sent; none is sooner than an idle network of the fastest and shortest links allows.
RC_GTEST_PROP(ChangedLinks, AccountForEveryFrameAndKeepItsOrder, ()) {
  Changeable lab(line_of_switches(2, 2), *rc::gen::arbitrary<std::uint64_t>());
  const std::vector<std::string> changes{"s0-s1 rate=10%", "s0-s1 rate=100%", "s0->s1 latency=3ms", "* latency=10us",
                                         "h3 down",        "h3 up",           "s0-s1 down",         "s0-s1 up",
                                         "* jitter=1ms",   "* jitter=0s",     "h0 rate=30%",        "h0 rate=90%"};
  constexpr unsigned frames = 60;
  Nanoseconds now = 0;
  std::map<FrameId, std::pair<HostIndex, Nanoseconds>> sent;
  for (FrameId id = 0; id < frames; ++id) {
    now += static_cast<Nanoseconds>(*rc::gen::inRange(0, 200)) * usec;
    if (*rc::gen::inRange(0, 4) == 0) lab.change(*rc::gen::elementOf(changes), now);
    const auto from = *rc::gen::inRange<HostIndex>(0, 2);
    lab.transit.enter(from, *rc::gen::inRange<HostIndex>(2, 4), id, a_hundred, now);
    sent[id] = {from, now};
  }
  lab.transit.advance(Transit::never - 1, lab.due);
  RC_ASSERT(std::ranges::is_sorted(lab.due, {}, &Delivery::due));
  std::map<std::pair<HostIndex, HostIndex>, FrameId> last;
  for (const Delivery& delivery : lab.due) {
    const auto [from, at] = sent.at(delivery.frame);
    RC_ASSERT(delivery.due >= at + 3 * (100 + 10) * usec);
    const std::pair way{from, delivery.host};
    const auto [before, is_first] = last.try_emplace(way, delivery.frame);
    RC_ASSERT((is_first || before->second < delivery.frame));
    before->second = delivery.frame;
    lab.transit.delivered(delivery.frame);
  }
  RC_ASSERT(lab.due.size() + lab.down_lost() == frames);
  std::vector<FrameId> finished = lab.transit.finished();
  std::ranges::sort(finished);
  RC_ASSERT(finished.size() == frames);
  RC_ASSERT(std::ranges::adjacent_find(finished) == finished.end());
}

}  // namespace
}  // namespace trunkline::fabric
