// SPDX-License-Identifier: Apache-2.0
#include "network/file/sections.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "network/file/attributes.hpp"
#include "network/impair/keys.hpp"
#include "text/spelling.hpp"
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

namespace {

using Kind = YamlNode::Kind;

class LinksReader {
 public:
  explicit LinksReader(PartsRead& read) : read_(read) {}

  void section(const YamlNode& root) {
    const YamlNode* list = root.find("links");
    if (list == nullptr) return;
    if (!check_kind(*list, Kind::sequence, "links", "[{between: [s0, s1]}]", read_.faults)) {
      read_.complete = false;
      return;
    }
    for (const YamlNode& entry : list->items) {
      if (!check_kind(entry, Kind::mapping, "an entry of links", "{between: [s0, s1]}", read_.faults)) {
        read_.complete = false;
      } else if (entry.find("from") != nullptr || entry.find("to") != nullptr) {
        one_way(entry);
      } else {
        both_ways(entry);
      }
    }
    for (const OneWayLink& link : open_) {
      const std::string from = read_.parts.node(link.from).name;
      const std::string to = read_.parts.node(link.to).name;
      std::string said = "this link leads from ";
      said.append(from).append(" to ").append(to).append(", and no other one leads back; messages need an answer, ");
      said.append("so add {from: ").append(to).append(", to: ").append(from).append("}, or write between: [");
      read_.faults.add(link.at, said.append(from).append(", ").append(to).append("]"));
      read_.complete = false;
    }
  }

 private:
  /// That no other one leads back from yet.
  struct OneWayLink {
    NodeId from;
    NodeId to;
    Attributes given;
    Position at;
  };

  void both_ways(const YamlNode& entry) {
    check_link_keys(entry, {"between", "rate", "latency", "back"});
    const Attributes given = read_attributes(entry, read_.defaults, read_.faults);
    const YamlNode* between = required(entry, "between", "between: [s0, s1]", read_.faults);
    const auto a = between != nullptr ? link_end(*between, 0) : std::nullopt;
    const auto b = between != nullptr ? link_end(*between, 1) : std::nullopt;
    if (a && b) {
      read_.parts.add_link(*a, *b, given, between->at);
    } else {
      read_.complete = false;
    }
  }

  /// The first of a direction and the first of the other become one.
  void one_way(const YamlNode& entry) {
    check_link_keys(entry, {"from", "to", "rate", "latency"});
    const Attributes given = read_attributes(entry, read_.defaults, read_.faults);
    const YamlNode* const from_node = required(entry, "from", "from: s0", read_.faults);
    const YamlNode* const to_node = required(entry, "to", "to: s1", read_.faults);
    const auto from = from_node != nullptr ? node_called(*from_node) : std::nullopt;
    const auto to = to_node != nullptr ? node_called(*to_node) : std::nullopt;
    if (!from || !to) {
      read_.complete = false;
      return;
    }
    if (*from == *to) {  // the checker of parts says so
      read_.parts.add_link(*from, *to, given, entry.at);
      return;
    }
    const auto other =
        std::ranges::find_if(open_, [&](const OneWayLink& one) { return one.from == *to && one.to == *from; });
    if (other == open_.end()) {
      open_.push_back({*from, *to, given, entry.at});
      return;
    }
    if (other->given.rate->width != given.rate->width || !(other->given.impairments == given.impairments)) {
      read_.faults.add(entry, "this link and the one that leads back (line " + std::to_string(other->at.line) +
                                  ") may differ in rate and latency alone; give both the same links side by side, loss "
                                  "and the like");
    }
    Attributes both = other->given;
    both.back = OneWay{given.rate->bps, *given.latency_s};
    read_.parts.add_link(*to, *from, both, other->at);
    open_.erase(other);
  }

  /// As check_keys; what is said of hosts gets its own advice.
  void check_link_keys(const YamlNode& entry, std::vector<std::string_view> own) {
    struct OfHosts {
      std::string_view key;
      const char* advice;
    };
    static constexpr std::array<OfHosts, 2> of_hosts{
        OfHosts{
            "injection",
            "injection is a time of hosts that send, not of links: give it in an entry of hosts, or under defaults; "
            "what a link takes is its latency"},
        OfHosts{"tcp_window",
                "tcp_window is of hosts, whose buffers it is a part of, not of links: give it in an entry of hosts, or "
                "under defaults"}};
    std::vector<std::string_view> keys = with_keys(std::move(own), link_keys());
    for (const auto& [key, advice] : of_hosts) {
      const YamlNode* const given = entry.find(key);
      if (given == nullptr) continue;
      keys.push_back(key);
      read_.faults.add(*given, advice);
    }
    check_keys(entry, keys, read_.faults);
  }

  std::optional<NodeId> link_end(const YamlNode& between, std::size_t which) {
    if (!between.is_sequence() || between.items.size() != 2) {
      if (which == 0) {
        read_.faults.add(between, "between must be a list of two names, such as [s0, s1]");
      }
      return std::nullopt;
    }
    return node_called(between.items[which]);
  }

  std::optional<NodeId> node_called(const YamlNode& end) {
    if (!check_kind(end, Kind::scalar, "an end of a link", "s0", read_.faults)) return std::nullopt;
    const auto found = read_.parts.find(end.text);
    if (!found && read_.switches_known) {
      const std::vector<std::string_view> known(read_.switch_names.begin(), read_.switch_names.end());
      read_.faults.add(end, end.text + " is neither a switch nor a host" + did_you_mean(end.text, known));
    }
    return found;
  }

  PartsRead& read_;
  std::vector<OneWayLink> open_;
};

}  // namespace

void read_links(const YamlNode& root, PartsRead& read) { LinksReader(read).section(root); }

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
