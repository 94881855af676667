// SPDX-License-Identifier: Apache-2.0
// In which order a segment's operands come up a tree to those who combine them.
#pragma once

#include <vector>

#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "patterns/tree.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {

/// By node, but for those who share their parent's host.
struct LaterSiblings {
  std::vector<Rank> later;      ///< of its siblings in other hosts, those that come after it
  std::vector<double> comes_s;  ///< when it comes itself, seconds
};

/// What came before one is taken in when it comes. Of those that come at once the ones that are sent to last come
/// first. As short segments come, whose ways are hosts' costs and latencies. Time O(nodes * length of a path).
[[nodiscard]] LaterSiblings later_siblings(const TreeShape& shape, const Paths& paths, const HostCosts& hosts);

}  // namespace trunkline
