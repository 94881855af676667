// SPDX-License-Identifier: Apache-2.0
#include "network/file/parts_read.hpp"

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

}  // namespace trunkline
