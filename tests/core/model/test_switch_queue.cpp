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
  const Cluster mixed = impaired(deep, "queue", unknown.nodes()[0].name + "=256KiB");
  EXPECT_EQ(queue_bytes_of(mixed), 256U << 10U);
  EXPECT_EQ(queue_bytes_of(impaired(unknown, "queue", unknown.nodes()[0].name + "=1MiB")), usual_queue_bytes);
}

}  // namespace
}  // namespace trunkline
