// SPDX-License-Identifier: Apache-2.0
// What has been read of a cluster file so far, and what its sections have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "network/cluster.hpp"
#include "network/file/attributes.hpp"
#include "network/parts_check.hpp"
#include "text/fault.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

/// A network put together piece by piece from a file, which remembers where each piece stood.
class PartsBuilder {
 public:
  NodeId add_node(Node node, Position at);
  void add_alias(NodeId node, std::string alias, Position at);
  void add_link(NodeId a, NodeId b, const Attributes& given, Position at);

  /// The node that had this name first.
  [[nodiscard]] std::optional<NodeId> find(const std::string& name) const;
  [[nodiscard]] const Node& node(NodeId id) const { return parts_.nodes[id]; }
  [[nodiscard]] std::size_t node_count() const { return parts_.nodes.size(); }

  /// Reports faults of the network as a whole where its pieces stood, `whole` for those of no piece. `complete` as for
  /// check_parts(). Rates are not looked at: readers report them, and put sound ones in their place.
  void report(bool complete, Position whole, Faults& faults) const;

  [[nodiscard]] Cluster::Parts take() { return std::move(parts_); }
  void describe(std::string name, std::string description);

 private:
  [[nodiscard]] Position place_of(const PartsFault& fault, Position whole) const;

  Cluster::Parts parts_{};
  std::vector<Position> node_at_;
  std::vector<Position> link_at_;
  std::unordered_map<NodeId, std::vector<Position>> alias_at_;  ///< beside each node's aliases
  std::unordered_map<std::string, NodeId> by_name_;
};

struct PartsRead {
  static constexpr std::size_t most_nodes = 1'000'000;

  Faults& faults;
  PartsBuilder parts{};
  Attributes defaults{};
  SwitchSettings switch_defaults{};
  std::vector<std::string> switch_names{};  ///< the first of them, for "did you mean"
  bool switches_known = false;
  bool complete = true;  ///< no link is missing because of a fault already reported

  /// The names of a host list as far as there may be that many nodes; marks the structure incomplete on a fault.
  [[nodiscard]] std::optional<std::vector<std::string>> names(const YamlNode& node, std::string_view what);

  /// Marks the structure incomplete where there is none, and says so where the switches are known.
  [[nodiscard]] std::optional<NodeId> find_switch(const std::string& name, Position at);
};

}  // namespace trunkline
