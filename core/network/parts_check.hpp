// SPDX-License-Identifier: Apache-2.0
// Faults of a network's parts, from a file or put together by a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

/// One thing wrong with the parts of a cluster; readers of files turn `node` and `link` into a place in the file.
struct PartsFault {
  enum class What : std::uint8_t { name, duplicate, rate, ends, host_links, pieces };
  What what;
  std::optional<NodeId> node;
  std::optional<LinkId> link;
  std::optional<NodeId> first;       ///< of two nodes with one name, the one that had it first
  std::optional<std::size_t> alias;  ///< the node's alias that is wrong; empty: its name
  std::string message;
};

/// All faults; names clash with aliases, not the other way round. `complete` false: some links are known to be missing,
/// so what only their absence would cause (hosts without a link, a network in pieces) is not looked for.
[[nodiscard]] std::vector<PartsFault> check_parts(const Cluster::Parts& parts, bool complete = true);

}  // namespace trunkline
