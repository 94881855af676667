// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/switch_queue.hpp"

#include <algorithm>
#include <limits>

namespace trunkline {

namespace {

std::uint64_t usual_queue(const Cluster& cluster, NodeId of) {
  double fastest_bps = usual_queue_bps;
  for (const Cluster::Hop& next : cluster.neighbours(of)) {
    fastest_bps = std::max(fastest_bps, cluster.link_of(next.channel).most_bps());
  }
  return static_cast<std::uint64_t>(static_cast<double>(usual_queue_bytes) * fastest_bps / usual_queue_bps);
}

}  // namespace

std::uint64_t queue_bytes_of(const Cluster& cluster) {
  std::uint64_t shallowest = std::numeric_limits<std::uint64_t>::max();
  for (NodeId id = 0; id < cluster.nodes().size(); ++id) {
    const Node& node = cluster.nodes()[id];
    if (node.kind != NodeKind::network_switch) continue;
    const std::uint64_t own = node.settings.queue_bytes;
    shallowest = std::min(shallowest, own > 0 ? own : usual_queue(cluster, id));
  }
  return shallowest;
}

bool knows_queues(const Cluster& cluster) {
  return std::ranges::all_of(cluster.nodes(), [](const Node& node) {
    return node.kind != NodeKind::network_switch || node.settings.queue_bytes > 0;
  });
}

}  // namespace trunkline
