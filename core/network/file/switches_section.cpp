// SPDX-License-Identifier: Apache-2.0
#include "network/file/switches_section.hpp"

#include <algorithm>

#include "network/impair/keys.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {

namespace {

bool add_switches(const YamlNode& list, const SwitchSettings& settings, PartsRead& read) {
  const auto found = read.names(list, "switches");
  for (const std::string& name : found.value_or(std::vector<std::string>())) {
    read.parts.add_node({.name = name, .kind = NodeKind::network_switch, .aliases = {}, .settings = settings}, list.at);
  }
  return found.has_value();
}

bool add_entry(const YamlNode& entry, PartsRead& read) {
  check_keys(entry, with_keys({"switches"}, switch_keys()), read.faults);
  const SwitchSettings settings = read_settings(entry, read.switch_defaults, read.faults);
  const YamlNode* const list = required(entry, "switches", "switches: s[0-3]", read.faults);
  return list != nullptr && add_switches(*list, settings, read);
}

}  // namespace

bool read_switches(const YamlNode& switches, PartsRead& read) {
  const auto is_entry = [](const YamlNode& item) { return item.is_mapping(); };
  if (!switches.is_sequence() || std::ranges::none_of(switches.items, is_entry)) {
    return add_switches(switches, read.switch_defaults, read);
  }
  bool known = true;
  for (const YamlNode& item : switches.items) {
    known = (is_entry(item) ? add_entry(item, read) : add_switches(item, read.switch_defaults, read)) && known;
  }
  return known;
}

}  // namespace trunkline
