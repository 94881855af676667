// SPDX-License-Identifier: Apache-2.0
// What hosts' injection times (Node::injection_s) take of a tree's sends, each way that data go.
#pragma once

#include "collective/collective.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"

namespace trunkline {

struct Injections {
  const Cluster& cluster;
  Direction direction;

  /// Seconds of any send of that host.
  [[nodiscard]] double of(HostIndex host) const { return cluster.nodes()[cluster.hosts()[host]].injection_s; }

  /// Of a rank there that sends to one of its children.
  [[nodiscard]] double down(HostIndex parent) const { return direction == Direction::up ? 0.0 : of(parent); }

  /// Of a transfer, each way that it goes.
  [[nodiscard]] double both(HostIndex parent, HostIndex child) const {
    return down(parent) + (direction == Direction::down ? 0.0 : of(child));
  }
};

}  // namespace trunkline
