// SPDX-License-Identifier: Apache-2.0
// Nodes and links of a network as somebody names them on a command or in a script.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline {

/// What one text names: h3 or h[0-3], for all links of these nodes; s0-s1, for the links between two host lists of
/// nodes. Functions throw std::invalid_argument with what would be right.
class Places {
 public:
  /// All of them must outlive it. `network` is the name for messages.
  Places(std::span<const Node> nodes, std::span<const Link> links, std::string_view network, std::string_view where)
      : nodes_(nodes), links_(links), network_(network), where_(where) {}

  /// Links that the text names, in their order.
  [[nodiscard]] std::vector<LinkId> links() const;

  /// The same with both of their directions; a->b is one direction of the links between two, and * all links.
  [[nodiscard]] std::vector<ChannelId> channels() const;

  /// Switches that the text names.
  [[nodiscard]] std::set<NodeId> switches() const;

 private:
  [[nodiscard]] std::optional<std::set<NodeId>> nodes(std::string_view text) const;
  [[nodiscard]] std::vector<LinkId> those(const std::function<bool(const Link&)>& wanted) const;
  [[nodiscard]] std::vector<ChannelId> one_way(std::string_view from, std::string_view to) const;
  [[noreturn]] void refuse(std::string_view text) const;

  std::span<const Node> nodes_;
  std::span<const Link> links_;
  std::string_view network_;
  std::string_view where_;
};

}  // namespace trunkline
