// SPDX-License-Identifier: Apache-2.0
#include "plan/later_siblings.hpp"

#include <algorithm>
#include <cstdint>

namespace trunkline {

LaterSiblings later_siblings(const TreeShape& shape, const Paths& paths, const HostCosts& hosts) {
  struct Arrival {
    double at_s;
    std::uint32_t node;
    bool is_local;
  };
  LaterSiblings of{.later = std::vector<Rank>(shape.nodes.size(), 0),
                   .comes_s = std::vector<double>(shape.nodes.size(), 0.0)};
  std::vector<double> ready_s(shape.nodes.size(), 0.0);  // when all has come up to it
  std::vector<Arrival> arrivals;
  std::vector<std::uint32_t> children_first = parents_first(shape);
  std::ranges::reverse(children_first);
  for (const std::uint32_t at : children_first) {
    const TreeShape::Node& node = shape.nodes[at];
    Rank leaves = node.further_leaves;
    arrivals.clear();
    for (const TreeShape::Child& child : node.children) {
      leaves += child.local_leaves;
      const bool is_local = shape.nodes[child.node].host == node.host;
      double way_s = hosts.local_send_s;
      if (!is_local) {
        const NodeId from = paths.cluster().hosts()[shape.nodes[child.node].host];
        const NodeId to = paths.cluster().hosts()[node.host];
        way_s = hosts.send_s + paths.latency_s(from, to, paths.meeting(from, to));
      }
      arrivals.push_back({ready_s[child.node] + way_s, child.node, is_local});
    }
    // Stable: of those at once the first one that is sent to is the last.
    std::ranges::stable_sort(arrivals, std::ranges::greater(), &Arrival::at_s);
    Rank after = 0;
    for (const Arrival& one : arrivals) {
      if (one.is_local) continue;
      of.later[one.node] = after++;
      of.comes_s[one.node] = one.at_s;
    }
    double all_s = static_cast<double>(leaves) * hosts.local_receive_s;
    std::ranges::reverse(arrivals);
    for (const Arrival& one : arrivals) {
      all_s = std::max(all_s, one.at_s) + (one.is_local ? hosts.local_receive_s : hosts.receive_s);
    }
    ready_s[at] = all_s;
  }
  return of;
}

}  // namespace trunkline
