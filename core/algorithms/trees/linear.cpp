// SPDX-License-Identifier: Apache-2.0
// Cost: (X + P - 2) * T(m / X) for X segments and P ranks; time to plan O(ranks + nodes).
#include "algorithms/trees/linear.hpp"

#include <algorithm>
#include <iterator>

namespace trunkline {

namespace {

/// Ranks of each host in rank order, as compressed rows.
class RanksByHost {
 public:
  RanksByHost(std::size_t hosts, const Placement& placement) : begin_(hosts + 1, 0), ranks_(placement.size()) {
    for (const HostIndex host : placement) {
      ++begin_[host + 1];
    }
    for (std::size_t host = 0; host < hosts; ++host) {
      begin_[host + 1] += begin_[host];
    }
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (Rank rank = 0; rank < placement.size(); ++rank) {
      ranks_[next[placement[rank]]++] = rank;
    }
  }

  [[nodiscard]] std::span<const Rank> of(HostIndex host) const {
    return std::span(ranks_).subspan(begin_[host], begin_[host + 1] - begin_[host]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Rank> ranks_;
};

/// Switches in the order in which a depth-first search from `first` arrives at them; iterative, since a line of
/// switches may be long. Of a switch's neighbours the one whose link comes first is searched first.
std::vector<NodeId> switches_in_order(const Cluster& cluster, NodeId first) {
  struct Step {
    NodeId node;
    NodeId from;
  };
  std::vector<NodeId> order;
  std::vector<Step> stack{{first, first}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    order.push_back(step.node);
    const auto hops = cluster.neighbours(step.node);
    for (std::size_t i = hops.size(); i > 0; --i) {  // the last one pushed is searched first
      const NodeId next = hops[i - 1].to;
      if (next != step.from && cluster.nodes()[next].kind == NodeKind::network_switch) {
        stack.push_back({next, step.node});
      }
    }
  }
  return order;
}

/// Hosts of each switch in host order: like RanksByHost, rows by switch node.
std::vector<std::vector<HostIndex>> hosts_by_switch(const Cluster& cluster) {
  std::vector<std::vector<HostIndex>> hosts(cluster.nodes().size());
  for (HostIndex host = 0; host < cluster.hosts().size(); ++host) {
    hosts[cluster.switch_of(host)].push_back(host);
  }
  return hosts;
}

}  // namespace

std::vector<Rank> depth_first_order(const Cluster& cluster, const Placement& placement, Rank root) {
  check_placement(cluster, placement, root);
  const RanksByHost ranks(cluster.hosts().size(), placement);
  const auto hosts = hosts_by_switch(cluster);
  const HostIndex root_host = placement[root];

  std::vector<Rank> order{root};
  order.reserve(placement.size());
  const auto visit = [&](HostIndex host) {
    std::copy_if(ranks.of(host).begin(), ranks.of(host).end(), std::back_inserter(order),
                 [&](Rank rank) { return rank != root; });
  };
  visit(root_host);
  for (const NodeId node : switches_in_order(cluster, cluster.switch_of(root_host))) {
    for (const HostIndex host : hosts[node]) {
      if (host != root_host) {
        visit(host);
      }
    }
  }
  return order;
}

Tree linear_tree(const Cluster& cluster, const Placement& placement, Rank root) {
  return line_through(depth_first_order(cluster, placement, root));
}

}  // namespace trunkline
