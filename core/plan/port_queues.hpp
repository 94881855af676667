// SPDX-License-Identifier: Apache-2.0
// Where several ranks of a host have children in other hosts, their messages leave by one port, or come to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "patterns/tree.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {

struct PortQueues {
  /// By node: who of its host has the segment first, through whom it gets it.
  std::vector<std::uint32_t> first;
  /// By node that gets its segment from another host where several ranks of it send: how many messages leave it before.
  /// no_rank: of all others.
  std::vector<Rank> ahead;
  /// And how many come to it later, where `comes_s` is given; else empty.
  std::vector<Rank> behind;
};

/// None where no host has several senders. `comes_s`: by node, when what comes up from it would be at its parent's
/// host, seconds; empty where nothing does. Time O(nodes * log nodes).
[[nodiscard]] std::optional<PortQueues> port_queues(const TreeShape& shape, const std::vector<double>& comes_s,
                                                    const HostCosts& hosts);

}  // namespace trunkline
