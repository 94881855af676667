// SPDX-License-Identifier: Apache-2.0
// A network put together piece by piece from a file, which remembers where each piece stood.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "network/cluster.hpp"
#include "network/file/attributes.hpp"
#include "network/parts_check.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

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

}  // namespace trunkline
