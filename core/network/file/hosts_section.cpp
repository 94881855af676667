// SPDX-License-Identifier: Apache-2.0
#include "network/file/hosts_section.hpp"

#include <cstdint>
#include <unordered_map>

#include "network/impair/keys.hpp"
#include "text/yaml_fields.hpp"

namespace trunkline {
namespace {

class HostsReader {
 public:
  explicit HostsReader(PartsRead& read) : read_(read) {}

  void section(const YamlNode& root) {
    const std::string example = "hosts: [{hosts: \"h[0-7]\", switch: s0}]";
    const YamlNode* list = required(root, "hosts", example, read_.faults);
    if (list == nullptr ||
        !check_kind(*list, YamlNode::Kind::sequence, "hosts", "[{hosts: \"h[0-7]\", switch: s0}]", read_.faults)) {
      read_.complete = false;
      return;
    }
    if (list->items.empty()) {
      read_.faults.add(*list, "hosts is empty; a cluster needs hosts, such as " + example);
      read_.complete = false;
    }
    for (const YamlNode& entry : list->items) {
      if (check_kind(entry, YamlNode::Kind::mapping, "an entry of hosts", "{hosts: \"h[0-7]\", switch: s0}",
                     read_.faults)) {
        host_entry(entry);
      } else {
        read_.complete = false;
      }
    }
  }

 private:
  void host_entry(const YamlNode& entry) {
    check_keys(entry,
               with_keys({"hosts", "switch", "switches", "deal", "rate", "latency", "back", "injection", "tcp_window",
                          "aliases"},
                         link_keys()),
               read_.faults);
    const Attributes given = read_attributes(entry, read_.defaults, read_.faults);
    const YamlNode* list = required(entry, "hosts", "hosts: h[0-7]", read_.faults);
    const auto found = list != nullptr ? read_.names(*list, "hosts") : std::nullopt;
    const std::vector<NodeId> above = switches_above(entry);
    const std::uint32_t deal = deal_of(entry);
    if (!found) {
      read_.complete = false;
      return;
    }
    std::unordered_map<std::string_view, NodeId> mine;
    for (std::size_t i = 0; i < found->size(); ++i) {
      const NodeId id = read_.parts.add_node({.name = (*found)[i],
                                              .kind = NodeKind::host,
                                              .injection_s = *given.injection_s,
                                              .tcp_window_bytes = *given.tcp_window_bytes},
                                             list->at);
      mine.emplace((*found)[i], id);
      if (!above.empty()) {
        read_.parts.add_link(id, above[i / deal % above.size()], given, list->at);
      }
    }
    if (const YamlNode* aliases = entry.find("aliases")) {
      read_aliases(*aliases, mine);
    }
  }

  /// Switches that the hosts of an entry are dealt over; empty where its links come from `links`, or on a fault.
  std::vector<NodeId> switches_above(const YamlNode& entry) {
    const YamlNode* one = entry.find("switch");
    const YamlNode* several = entry.find("switches");
    std::vector<NodeId> above;
    if (one != nullptr && several != nullptr) {
      read_.faults.add(*several, "both switch and switches are given; keep one");
    }
    if (one != nullptr) {
      if (check_kind(*one, YamlNode::Kind::scalar, "switch", "s0", read_.faults)) {
        if (const auto id = read_.find_switch(one->text, one->at)) {
          above.push_back(*id);
        }
      } else {
        read_.complete = false;
      }
    } else if (several != nullptr) {
      for (const std::string& name : read_.names(*several, "switches").value_or(std::vector<std::string>())) {
        if (const auto id = read_.find_switch(name, several->at)) {
          above.push_back(*id);
        }
      }
    }
    return above;
  }

  std::uint32_t deal_of(const YamlNode& entry) {
    const YamlNode* deal = entry.find("deal");
    if (entry.find("switches") == nullptr) {
      if (deal != nullptr) {
        read_.faults.add(*deal, "deal goes with switches, a host list of several; leave it out");
      }
      return 1;
    }
    deal = required(entry, "deal", "deal: 1 (that many hosts at a time go to each switch in turn)", read_.faults);
    return deal != nullptr ? whole_number(*deal, "deal", 1, read_.faults).value_or(1) : 1;
  }

  void read_aliases(const YamlNode& aliases, const std::unordered_map<std::string_view, NodeId>& mine) {
    if (!check_kind(aliases, YamlNode::Kind::mapping, "aliases", "{h0: [node0.lab]}", read_.faults)) {
      return;
    }
    for (std::size_t i = 0; i < aliases.keys.size(); ++i) {
      const auto hosts = names_of(aliases.keys[i], "aliases", "h[0-3]", PartsRead::most_nodes, read_.faults);
      if (!hosts) {
        continue;
      }
      const YamlNode& value = aliases.items[i];
      const std::size_t lists = value.is_sequence() ? value.items.size() : 1;
      for (std::size_t j = 0; j < lists; ++j) {
        const YamlNode& list = value.is_sequence() ? value.items[j] : value;
        const auto further = names_of(list, "aliases", "node[0-3].lab", PartsRead::most_nodes, read_.faults);
        if (further && further->size() != hosts->size()) {
          read_.faults.add(list, std::to_string(further->size()) + " aliases for " + std::to_string(hosts->size()) +
                                     " hosts; give each host one, in order, or several host lists as [..., ...]");
        } else if (further) {
          add_aliases(*hosts, *further, aliases.keys[i], list.at, mine);
        }
      }
    }
  }

  void add_aliases(const std::vector<std::string>& hosts, const std::vector<std::string>& aliases, const YamlNode& key,
                   Position at, const std::unordered_map<std::string_view, NodeId>& mine) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto host = mine.find(hosts[i]);
      if (host == mine.end()) {
        read_.faults.add(key, hosts[i] + " is not among the hosts of this entry");
        return;
      }
      read_.parts.add_alias(host->second, aliases[i], at);
    }
  }

  PartsRead& read_;
};

}  // namespace

void read_hosts(const YamlNode& root, PartsRead& read) { HostsReader(read).section(root); }

}  // namespace trunkline
