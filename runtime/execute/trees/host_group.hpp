// SPDX-License-Identifier: Apache-2.0
// The ranks of one host that hang together in a tree, as one of them sees them.
#pragma once

#include <span>
#include <vector>

#include "execute/trees/local_tree.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline::runtime {

/// Ranks are those of the private communicator.
struct HostGroup {
  /// A child that is not among them, and those that hang together with it on its host.
  struct Far {
    int child = 0;
    std::vector<int> ranks{};  ///< ascending, the child among them
  };

  std::vector<int> ranks{};  ///< ascending, this one among them; empty: not known
  int own = 0;               ///< this one
  int top = 0;               ///< the one that is nearest to the root
  bool is_top = false;       ///< it is this one
  int up = no_parent;        ///< the top's parent, on another host
  std::vector<Far> far{};    ///< below this rank
};

/// Of the `rank`-th of the members, which sit on these hosts.
[[nodiscard]] HostGroup host_group(const Tree& tree, Rank rank, std::span<const int> members,
                                   std::span<const HostIndex> hosts);

}  // namespace trunkline::runtime
