// SPDX-License-Identifier: Apache-2.0
// The ranks of one host that hang together in a tree, as one of them sees them.
#pragma once

#include <span>
#include <vector>

#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline::runtime {

/// Ranks are those of the private communicator.
struct HostGroup {
  std::vector<int> ranks{};  ///< ascending, this one among them; empty: not known
  int own = 0;               ///< this one
  int top = 0;               ///< the one that is nearest to the root
  bool is_top = false;       ///< it is this one
  std::vector<int> far{};    ///< this rank's children that are not among them
};

/// Of the `rank`-th of the members, which sit on these hosts.
[[nodiscard]] HostGroup host_group(const Tree& tree, Rank rank, std::span<const int> members,
                                   std::span<const HostIndex> hosts);

}  // namespace trunkline::runtime
