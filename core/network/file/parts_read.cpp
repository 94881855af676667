// SPDX-License-Identifier: Apache-2.0
#include "network/file/parts_read.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "text/spelling.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {

std::optional<std::vector<std::string>> PartsRead::names(const YamlNode& node, std::string_view what) {
  auto found = names_of(node, what, what == "switches" ? "s[0-3]" : "h[0-31]", most_nodes, faults);
  if (found && found->size() > most_nodes - parts.node_count()) {
    faults.add(node, std::string(what) + ": more than " + std::to_string(most_nodes) +
                         " nodes together with those above; is a number mistyped?");
    found.reset();
  }
  complete = complete && found.has_value();
  return found;
}

std::optional<NodeId> PartsRead::find_switch(const std::string& name, Position at) {
  const auto found = parts.find(name);
  if (found && parts.node(*found).kind == NodeKind::network_switch) {
    return found;
  }
  complete = false;
  if (switches_known) {
    const std::vector<std::string_view> known(switch_names.begin(), switch_names.end());
    const char* why = found ? " is a host, not a switch" : " is not among the switches";
    faults.add(at, name + why + did_you_mean(name, known));
  }
  return std::nullopt;
}

NodeId PartsBuilder::add_node(Node node, Position at) {
  const auto id = static_cast<NodeId>(parts_.nodes.size());
  by_name_.emplace(node.name, id);
  parts_.nodes.push_back(std::move(node));
  node_at_.push_back(at);
  return id;
}

void PartsBuilder::add_alias(NodeId node, std::string alias, Position at) {
  parts_.nodes[node].aliases.push_back(std::move(alias));
  alias_at_[node].push_back(at);
}

void PartsBuilder::add_link(NodeId a, NodeId b, const Attributes& given, Position at) {
  parts_.links.push_back({.a = a,
                          .b = b,
                          .rate_bps = given.rate->bps,
                          .latency_s = *given.latency_s,
                          .width = given.rate->width,
                          .impairments = given.impairments,
                          .back = given.back});
  link_at_.push_back(at);
}

std::optional<NodeId> PartsBuilder::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

void PartsBuilder::describe(std::string name, std::string description) {
  parts_.name = std::move(name);
  parts_.description = std::move(description);
}

Position PartsBuilder::place_of(const PartsFault& fault, Position whole) const {
  if (fault.alias) {
    return alias_at_.at(*fault.node)[*fault.alias];
  }
  if (fault.node) {
    return node_at_[*fault.node];
  }
  return fault.link ? link_at_[*fault.link] : whole;
}

void PartsBuilder::report(bool complete, Position whole, Faults& faults) const {
  struct Same {
    std::string message;
    std::size_t count = 0;
  };
  // A host list may repeat one mistake for thousands of hosts: what is alike at one place is said once.
  std::map<std::tuple<std::size_t, std::size_t, PartsFault::What>, Same> grouped;
  for (const PartsFault& fault : check_parts(parts_, complete)) {
    if (fault.what == PartsFault::What::rate) {
      continue;
    }
    const Position at = place_of(fault, whole);
    std::string message = fault.message;
    if (fault.first) {
      message += " (first at line " + std::to_string(node_at_[*fault.first].line) + ")";
    }
    if (fault.what == PartsFault::What::pieces) {
      faults.add(at, message);  // each piece is news, even from one host list
      continue;
    }
    Same& same = grouped[{at.line, at.column, fault.what}];
    same.message = same.count == 0 ? message : same.message;
    ++same.count;
  }
  for (const auto& [place, same] : grouped) {
    const std::string more = same.count > 1 ? "; and " + std::to_string(same.count - 1) + " more like it here" : "";
    faults.add(Position{std::get<0>(place), std::get<1>(place)}, same.message + more);
  }
}

}  // namespace trunkline
