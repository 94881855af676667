// SPDX-License-Identifier: Apache-2.0
// What a broadcast by multicast takes, counted by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/registry.hpp"
#include "kinds/multicast/costs.hpp"
#include "kinds/multicast/datagram.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

/// Three hosts at 100 Mbit/s, 10 us a link; both others report to the root.
struct FlatMulticast {
  Cluster cluster = testing::one_switch(3);
  Paths paths{cluster};
  Placement placement = block_placement(cluster, 1);
  Multicast multicast{.confirm = root_alone(3, 0), .byte_s = 0.0};

  FlatMulticast() {
    add_child(multicast.confirm, 0, 1);
    add_child(multicast.confirm, 0, 2);
  }
  [[nodiscard]] double seconds(std::uint64_t bytes, const HostCosts& hosts) const {
    return multicast_costs(paths, placement, multicast, hosts).seconds(bytes, 1);
  }
};

constexpr double bit8 = 8.0 / 100e6;       // of a byte
constexpr double two_links = 2.0 * 10e-6;  // latency

TEST(MulticastTimes, AreThoseOfTheSlowestLink) {
  const FlatMulticast flat;
  const HostCosts free;
  // 1538 bytes are stored in the switch; 130 bytes without data say that a rank is done.
  const double besides = two_links + 1538 * bit8 + two_links + 2 * 130 * bit8;
  EXPECT_DOUBLE_EQ(flat.seconds(1432, free), 1538 * bit8 + besides);
  EXPECT_DOUBLE_EQ(flat.seconds(1433, free), (1538 + 107) * bit8 + besides);
  EXPECT_DOUBLE_EQ(flat.seconds(100 * 1432, free), 100 * 1538 * bit8 + besides);
  EXPECT_DOUBLE_EQ(flat.seconds(10, free), 116 * bit8 + two_links + 116 * bit8 + two_links + 2 * 130 * bit8);
}

TEST(MulticastTimes, KeepThePaceOfThePlan) {
  FlatMulticast flat;
  const HostCosts free;
  const double at_the_links = flat.seconds(1432000, free);
  flat.multicast.byte_s = bit8 / 2.0;  // no link is that fast
  EXPECT_DOUBLE_EQ(flat.seconds(1432000, free), at_the_links);
  flat.multicast.byte_s = 2.0 * bit8;
  EXPECT_DOUBLE_EQ(flat.seconds(1432000, free), at_the_links + 1000 * 1538 * bit8);
}

TEST(MulticastTimes, CountWhatHostsSpend) {
  const FlatMulticast flat;
  HostCosts busy;
  busy.send_s = 1e-3;  // longer than a frame on the wire
  busy.receive_s = 2e-3;
  busy.receive_byte_s = 1e-6;
  const double besides = 2 * two_links + 1538 * bit8 + 2 * 130 * bit8;
  const double one_way = busy.send_s + busy.receive_s;
  EXPECT_DOUBLE_EQ(flat.seconds(14320, busy), 10 * (2e-3 + 1432e-6) + besides + one_way + 1432e-6 + one_way);
  HostCosts shared;
  shared.shared_s = 1e-3;
  shared.shared_byte_s = 1e-6;
  EXPECT_DOUBLE_EQ(flat.seconds(14320, shared), 2 * (10 * 1e-3 + 14320e-6) + besides);
}

TEST(MulticastTimes, GrowWithTheHeightOfTheConfirmTree) {
  FlatMulticast line;
  line.multicast.confirm = line_through({0, 1, 2});
  const HostCosts free;
  EXPECT_DOUBLE_EQ(line.seconds(1432, free), FlatMulticast().seconds(1432, free) + two_links + 2 * 130 * bit8);
}

TEST(MulticastTimes, DoNotDependOnTheSegment) {
  const FlatMulticast flat;
  const MulticastCosts costs = multicast_costs(flat.paths, flat.placement, flat.multicast);
  for (const std::uint64_t segment : segment_sizes()) EXPECT_EQ(costs.seconds(5000, segment), costs.seconds(5000, 1));
  const std::uint64_t best = costs.best_segment(1 << 20);
  EXPECT_TRUE(std::ranges::find(segment_sizes(), best) != segment_sizes().end());
  EXPECT_LE(best, datagram_payload_bytes);
  EXPECT_EQ(costs.fastest_segment(5000, cuts_of(5000)).segment_bytes, best);
  EXPECT_EQ(costs.fastest_segment(5000, cuts_of(5000)).seconds, costs.seconds(5000, best));
  EXPECT_EQ(costs.network_transfers(), 1U);
}

TEST(MulticastTimes, OfOneRankAreNone) {
  const Cluster cluster = testing::one_switch(2);
  const Plan plan = lay(Collective::bcast, "multicast", &cluster, Placement(1, 0), 0);
  EXPECT_EQ(costs_of(cluster, Placement(1, 0), plan)->seconds(1000, 1000), 0.0);
  EXPECT_THROW(static_cast<void>(costs_of(cluster, Placement(2, 0), plan)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(costs_of(cluster, Placement(1, 0), plan, Collective::reduce)), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
