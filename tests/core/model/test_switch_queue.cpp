// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/switch_queue.hpp"

#include <gtest/gtest.h>

#include "network/file/impaired.hpp"
#include "networks.hpp"

namespace trunkline {
namespace {

TEST(SwitchQueue, IsThatOfTheShallowestSwitch) {
  const Cluster unknown = testing::star_of_switches(4, 4);
  EXPECT_EQ(queue_bytes_of(unknown), usual_queue_bytes);
  const Cluster deep = impaired(unknown, "queue", "1MiB");
  EXPECT_EQ(queue_bytes_of(deep), 1U << 20U);
  EXPECT_TRUE(knows_queues(deep));
  EXPECT_FALSE(knows_queues(unknown));
  EXPECT_FALSE(knows_queues(impaired(unknown, "queue", unknown.nodes()[0].name + "=256KiB")));
  const Cluster mixed = impaired(deep, "queue", unknown.nodes()[0].name + "=256KiB");
  EXPECT_EQ(queue_bytes_of(mixed), 256U << 10U);
  EXPECT_EQ(queue_bytes_of(impaired(unknown, "queue", unknown.nodes()[0].name + "=1MiB")), usual_queue_bytes);
}

TEST(SwitchQueue, TakesAsLongToGoOnAtAnyRateWhereNothingIsKnown) {
  Cluster::Parts parts = testing::star_of_switches(2, 2).stated();
  for (Link& link : parts.links) link.rate_bps = 1e8;
  EXPECT_EQ(queue_bytes_of(Cluster(parts)), usual_queue_bytes);
  for (Link& link : parts.links) link.rate_bps = 25e9;
  EXPECT_EQ(queue_bytes_of(Cluster(parts)), 25 * usual_queue_bytes);
  parts.links[1].rate_bps = 100e9;
  EXPECT_EQ(queue_bytes_of(Cluster(parts)), 25 * usual_queue_bytes);  // other switches have none as fast
}

}  // namespace
}  // namespace trunkline
