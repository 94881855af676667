// SPDX-License-Identifier: Apache-2.0
// Trees for short messages where several ranks share hosts: all ranks of a host hand on, each to other hosts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "algorithms/trees/linear.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "patterns/over_hosts.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

class LaneTree {
 public:
  LaneTree(const RanksOfHosts& hosts, std::size_t fan_out, Tree& tree)
      : hosts_(hosts), fan_out_(fan_out), tree_(tree) {}

  /// Hosts by number, the first of which has the message.
  void below(std::span<const Rank> row) {
    const std::vector<Rank>& own = hosts_.ranks[row.front()];
    for (const Rank mate : std::span(own).subspan(1)) add_child(tree_, own.front(), mate);
    const std::span<const Rank> others = row.subspan(1);
    const std::size_t parts = std::min(fan_out_, others.size());
    std::vector<std::span<const Rank>> rows;
    std::size_t begin = 0;
    for (std::size_t part = 0; part < parts; ++part) {  // the longer ones first: they have the furthest to go
      const std::size_t length = others.size() / parts + (part < others.size() % parts ? 1 : 0);
      rows.push_back(others.subspan(begin, length));
      add_child(tree_, own[part % own.size()], hosts_.ranks[rows.back().front()].front());
      begin += length;
    }
    for (const std::span<const Rank> one : rows) below(one);
  }

 private:
  const RanksOfHosts& hosts_;
  std::size_t fan_out_;
  Tree& tree_;
};

/// A tree over hosts in which each hands on to up to `fan_out` others, of as few levels as that allows; hosts below one
/// stand in a row, depth first over the switches. The first rank of a host, which is its lowest or the root, gets the
/// message and hands it to the other ranks there at once; then rank i of its r ranks sends to the host's children i, i
/// + r, i + 2 r, ... So up to as many of them as it has ranks are sent to at the same time, where one rank alone would
/// spend the time of a message on each. logK(N) T(m) for N hosts with at least K ranks, where links take no time; K m
/// on a host's link. Throws std::invalid_argument where `root` is no rank of the placement, or `fan_out` is 0.
[[nodiscard]] inline Tree lane_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned fan_out) {
  if (fan_out == 0) throw std::invalid_argument("hosts that hand on to none make no tree");
  const RanksOfHosts hosts = ranks_of_hosts(placement, root);
  Tree tree = root_alone(static_cast<Rank>(placement.size()), root);
  const std::vector<Rank> order = depth_first_order(cluster, hosts.placement, hosts.root);
  LaneTree(hosts, fan_out, tree).below(order);
  return tree;
}

}  // namespace trunkline
