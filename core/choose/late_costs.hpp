// SPDX-License-Identifier: Apache-2.0
// What a candidate takes that is laid once somebody asks; and what it takes at least, which is known before.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "choose/laid_on.hpp"
#include "collective/collective.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/costs.hpp"

namespace trunkline {

/// What a candidate takes at least.
struct Bound {
  double s = 0.0;       ///< whatever the message
  double byte_s = 0.0;  ///< for each of its bytes on the wire
};

/// Of one that is laid late: for its hosts or ranks are many to look at, and its messages are mostly too long. Nothing:
/// it is laid at once. Time O(ranks).
[[nodiscard]] std::optional<Bound> late_bound(const LaidOn& ground, std::string_view algorithm);

/// The degree of a candidate that is a k-nomial tree by rank number; 0: it is none.
[[nodiscard]] unsigned degree_of_blind_tree(std::string_view algorithm);

/// Seconds for each byte on the wire below which no broadcast comes along a k-nomial tree by rank number, where no long
/// links lie between ranks: the port of the root's host carries all that the root itself sends to other hosts.
[[nodiscard]] double least_byte_s_of_blind_tree(const Paths& paths, const Placement& placement, Rank root, unsigned k);

/// Seconds below which it comes to no message whatever: what the latest rank waits for beside bytes, latencies and what
/// hosts spend on messages. Time O(ranks).
[[nodiscard]] double least_s_of_blind_tree(const Paths& paths, const Placement& placement, Rank root, unsigned k,
                                           const HostCosts& hosts);

/// The most hosts of a group of a candidate in which ranks of hosts meet other hosts each; 0: it is none.
[[nodiscard]] Rank radix_of_lanes(std::string_view algorithm);

/// Below which no allreduce comes that goes so, with `lanes` ranks on each host: each time hosts spend a message, and
/// the fastest host's port carries one vector less than its group has hosts.
[[nodiscard]] Bound bound_of_lanes(const Paths& paths, const Placement& placement, Rank lanes, Rank radix,
                                   const HostCosts& costs);

/// Hosts below each in a candidate that is a tree of short messages over hosts; 0: it is none.
[[nodiscard]] unsigned fan_out_of_lane_tree(std::string_view algorithm);

/// Seconds for each byte on the wire below which nothing comes down such a tree, or up: the port of the root's host.
[[nodiscard]] double least_byte_s_of_lane_tree(const Paths& paths, const Placement& placement, Rank root,
                                               unsigned fan_out, Direction direction);

/// Of an algorithm that is laid once its costs are asked for; where its plans depend on the size of the message, once
/// for each size that they are laid for (laid_for()). Used by one thread at a time. `algorithm`: the registry's own
/// text.
[[nodiscard]] Costs late_costs(std::shared_ptr<const LaidOn> ground, std::string_view algorithm);

}  // namespace trunkline
