// SPDX-License-Identifier: Apache-2.0
#include "theory.hpp"

#include <gtest/gtest.h>

#include "line.hpp"
#include "transit.hpp"

namespace trunkline::fabric {
namespace {

constexpr double microsecond = 1e-6;

TEST(Theory, OneFrameIsStoredAtTheSwitch) {
  const Network network(line_of_switches(1, 2), 0);
  EXPECT_NEAR(one_way_s(network, 0, 1, 1000), 2 * (1090 + 10) * microsecond, 1e-9);
}

TEST(Theory, OfALongMessageOnlyTheFirstFrameIsStored) {
  const Network network(line_of_switches(2, 1), 0);
  EXPECT_NEAR(one_way_s(network, 0, 1, 10 * 1448), (10 * 1538 + 2 * 1538 + 3 * 10) * microsecond, 1e-9);
}

TEST(Theory, AgreesWithTransitOverLinksOfAnyRates) {
  for (const double trunk : {0.25, 1.0, 4.0}) {
    const Cluster cluster = line_of_switches(3, 1, trunk * byte_per_us);
    const Network network(cluster, 0);
    Transit transit(network, {});
    transit.enter(0, 2, 0, {5 * 1538, 1538, 5}, 0);
    std::vector<Delivery> due;
    transit.advance(Transit::never - 1, due);
    ASSERT_EQ(due.size(), 1U);
    EXPECT_NEAR(one_way_s(network, 0, 2, 5 * 1448), static_cast<double>(due[0].due) * 1e-9, 1e-8) << trunk;
  }
}

TEST(Theory, ARelayIsTheFirstSegmentsWayAndAPeriodForEachOther) {
  const Network network(line_of_switches(1, 3), 0);
  const HostIndex line[] = {0, 1, 2};
  const double hop = (2 * 1538 + 1538 + 20) * microsecond;
  // h1's channels carry its data and an acknowledgement of what it received, or for what it sent.
  EXPECT_NEAR(relay_s(network, line, 10 * 2896, 2896), 2 * hop + 9 * (2 * 1538 + 90) * microsecond, 1e-9);
}

TEST(Theory, ARelayInOneSegmentIsOneMessageAfterAnother) {
  const Network network(line_of_switches(1, 3), 0);
  const HostIndex line[] = {0, 1, 2};
  EXPECT_NEAR(relay_s(network, line, 5000, 1U << 20U), 2 * one_way_s(network, 0, 1, 5000), 1e-9);
}

}  // namespace
}  // namespace trunkline::fabric
