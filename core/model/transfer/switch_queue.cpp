// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/switch_queue.hpp"

#include <algorithm>
#include <limits>

namespace trunkline {

std::uint64_t queue_bytes_of(const Cluster& cluster) {
  std::uint64_t shallowest = std::numeric_limits<std::uint64_t>::max();
  for (const Node& node : cluster.nodes()) {
    if (node.kind != NodeKind::network_switch) continue;
    const std::uint64_t own = node.settings.queue_bytes;
    shallowest = std::min(shallowest, own > 0 ? own : usual_queue_bytes);
  }
  return shallowest;
}

}  // namespace trunkline
