// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <gtest/gtest.h>

#include "line.hpp"
#include "network/file/cluster_file.hpp"

namespace trunkline::fabric {
namespace {

TEST(Network, FollowsTheClustersOwnPaths) {
  for (const char* name :
       {"cyclic", "paper-1", "paper-3", "paper-5", "../examples/site-ring", "../examples/two-links"}) {
    const Cluster cluster = read_cluster(std::string(TRUNKLINE_CLUSTERS) + "/" + name + ".yaml");
    const Network network(cluster, 0);
    for (HostIndex from = 0; from < network.host_count(); ++from) {
      for (HostIndex to = 0; to < network.host_count(); ++to) {
        std::vector<ChannelId> walked;
        for (NodeId node = network.node_of(from); node != network.node_of(to);) {
          walked.push_back(network.towards(node, to));
          ASSERT_NE(walked.back(), no_channel);
          node = network.channel(walked.back()).to;
        }
        EXPECT_EQ(walked, cluster.path(network.node_of(from), network.node_of(to)));
      }
    }
  }
}

TEST(Network, KnowsWhichChannelsLeaveHosts) {
  const Cluster cluster = line_of_switches(2, 1);
  const Network network(cluster, 0);
  for (ChannelId id = 0; id < network.channel_count(); ++id) {
    EXPECT_EQ(network.channel(id).from_host, network.is_host(cluster.channel_from(id))) << cluster.channel_name(id);
  }
}

TEST(Network, TheQuickestChannelBoundsEveryFrame) {
  const Cluster cluster = line_of_switches(2, 1, 4 * byte_per_us, 3e-6);
  EXPECT_EQ(Network(cluster, 0).quickest(84), 3000U + 21000U);
}

}  // namespace
}  // namespace trunkline::fabric
