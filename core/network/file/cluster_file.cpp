// SPDX-License-Identifier: Apache-2.0
#include "network/file/cluster_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "network/file/attributes.hpp"
#include "network/file/parts_builder.hpp"
#include "text/names.hpp"
#include "text/spelling.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t most_nodes = 1'000'000;
constexpr std::string_view cluster_format = "cluster/1";

class ClusterReader {
 public:
  explicit ClusterReader(Faults& faults) : faults_(faults) {}

  Cluster::Parts read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 9> keys{
        "trunkline", "name", "description", "defaults", "measured", "paths", "switches", "hosts", "links"};
    check_keys(root, keys, faults_);
    if (const YamlNode* name = required(root, "name", "name: my-cluster", faults_)) {
      if (check_kind(*name, Kind::scalar, "name", "my-cluster", faults_) && !is_valid_name(name->text)) {
        faults_.add(*name, "name: " + bad_name(name->text));
      }
    }
    if (const YamlNode* description = root.find("description")) {
      check_kind(*description, Kind::scalar, "description", "two racks, one uplink", faults_);
    }
    if (const YamlNode* node = root.find("defaults")) {
      static constexpr std::array<std::string_view, 2> known{"rate", "latency"};
      if (check_kind(*node, Kind::mapping, "defaults", "{rate: 100Mbit, latency: 10us}", faults_)) {
        check_known(*node, known);
        defaults_ = read_attributes(*node, faults_);
      }
    }
    const UsedPaths paths = used_paths(root);
    switches(root);
    hosts(root);
    links(root);
    parts_.report(complete_, root.at, faults_);
    parts_.describe(text_of(root, "name"), text_of(root, "description"));
    Cluster::Parts parts = parts_.take();
    parts.paths = paths;
    parts.measured = measured(root);
    return parts;
  }

 private:
  UsedPaths used_paths(const YamlNode& root) {
    static constexpr std::array<std::string_view, 2> known{"spanning-tree", "equal-cost"};
    const YamlNode* node = root.find("paths");
    if (node == nullptr || !check_kind(*node, Kind::scalar, "paths", "equal-cost", faults_) || node->text == known[0]) {
      return UsedPaths::spanning_tree;
    }
    if (node->text != known[1]) {
      faults_.add(*node, "paths: " + quoted(node->text) + " is none" + did_you_mean(node->text, known) +
                             "; write equal-cost where switches use all shortest paths (ECMP, SPB, MLAG), else "
                             "spanning-tree, or leave it out");
    }
    return UsedPaths::equal_cost;
  }

  std::optional<NamedTables> measured(const YamlNode& root) {
    const YamlNode* const node = root.find("measured");
    if (node == nullptr) return std::nullopt;
    const std::string named = optional_text(root, "measured", "net.yaml", faults_);
    if (node->is_scalar() && named.empty()) {
      faults_.add(*node, "measured is empty; name a file of 'trunkline measure', such as net.yaml, or leave it out");
    }
    if (named.empty()) return std::nullopt;
    const Position at = node->at;
    // As text: <filesystem> would bring in std::quoted beside ours.
    const std::string folder = named.front() == '/' ? "" : faults_.file().substr(0, faults_.file().rfind('/') + 1);
    return NamedTables{.path = folder + named, .file = faults_.file(), .line = at.line, .column = at.column};
  }

  static std::string text_of(const YamlNode& root, std::string_view key) {
    const YamlNode* node = root.find(key);
    return node != nullptr ? node->text : "";
  }

  /// The names of a host list as far as there may be that many nodes; marks the structure incomplete on a fault.
  std::optional<std::vector<std::string>> names(const YamlNode& node, std::string_view what) {
    auto found = names_of(node, what, what == "switches" ? "s[0-3]" : "h[0-31]", most_nodes, faults_);
    if (found && found->size() > most_nodes - parts_.node_count()) {
      faults_.add(node, std::string(what) + ": more than " + std::to_string(most_nodes) +
                            " nodes together with those above; is a number mistyped?");
      found.reset();
    }
    complete_ = complete_ && found.has_value();
    return found;
  }

  void switches(const YamlNode& root) {
    const YamlNode* node = required(root, "switches", "switches: s[0-3]", faults_);
    const auto found = node != nullptr ? names(*node, "switches") : std::nullopt;
    switches_known_ = found.has_value();
    complete_ = complete_ && switches_known_;
    if (found) {
      for (const std::string& name : *found) {
        parts_.add_node({.name = name, .kind = NodeKind::network_switch}, node->at);
      }
      for (NodeId id = 0; id < std::min<std::size_t>(parts_.node_count(), most_suggested); ++id) {
        switch_names_.push_back(parts_.node(id).name);
      }
    }
  }

  std::optional<NodeId> find_switch(const std::string& name, Position at) {
    const auto found = parts_.find(name);
    if (found && parts_.node(*found).kind == NodeKind::network_switch) {
      return found;
    }
    complete_ = false;
    if (switches_known_) {
      const std::vector<std::string_view> known(switch_names_.begin(), switch_names_.end());
      const char* why = found ? " is a host, not a switch" : " is not among the switches";
      faults_.add(at, name + why + did_you_mean(name, known));
    }
    return std::nullopt;
  }

  void hosts(const YamlNode& root) {
    const std::string example = "hosts: [{hosts: \"h[0-7]\", switch: s0}]";
    const YamlNode* list = required(root, "hosts", example, faults_);
    if (list == nullptr || !check_kind(*list, Kind::sequence, "hosts", "[{hosts: \"h[0-7]\", switch: s0}]", faults_)) {
      complete_ = false;
      return;
    }
    if (list->items.empty()) {
      faults_.add(*list, "hosts is empty; a cluster needs hosts, such as " + example);
      complete_ = false;
    }
    for (const YamlNode& entry : list->items) {
      if (check_kind(entry, Kind::mapping, "an entry of hosts", "{hosts: \"h[0-7]\", switch: s0}", faults_)) {
        host_entry(entry);
      } else {
        complete_ = false;
      }
    }
  }

  /// As check_keys; a key that the papers lead people to expect gets its own advice.
  void check_known(const YamlNode& mapping, std::span<const std::string_view> known) {
    static constexpr std::string_view injection = "injection";
    const YamlNode* const given = mapping.find(injection);
    if (given == nullptr) {
      check_keys(mapping, known, faults_);
      return;
    }
    std::vector<std::string_view> more(known.begin(), known.end());
    more.push_back(injection);
    check_keys(mapping, more, faults_);
    faults_.add(*given,
                "injection is not used: leave it out; 'trunkline measure' finds what messages cost a host, and "
                "'trunkline predict --measured' reckons with it");
  }

  void host_entry(const YamlNode& entry) {
    static constexpr std::array<std::string_view, 7> keys{"hosts", "switch",  "switches", "deal",
                                                          "rate",  "latency", "aliases"};
    check_known(entry, keys);
    const Attributes given = read_attributes(entry, defaults_, faults_);
    const YamlNode* list = required(entry, "hosts", "hosts: h[0-7]", faults_);
    const auto found = list != nullptr ? names(*list, "hosts") : std::nullopt;
    const std::vector<NodeId> above = switches_above(entry);
    const std::uint32_t deal = deal_of(entry);
    if (!found) {
      complete_ = false;
      return;
    }
    std::unordered_map<std::string_view, NodeId> mine;
    for (std::size_t i = 0; i < found->size(); ++i) {
      const NodeId id = parts_.add_node({.name = (*found)[i], .kind = NodeKind::host, .aliases = {}}, list->at);
      mine.emplace((*found)[i], id);
      if (!above.empty()) {
        parts_.add_link(id, above[i / deal % above.size()], given, list->at);
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
      faults_.add(*several, "both switch and switches are given; keep one");
    }
    if (one != nullptr) {
      if (check_kind(*one, Kind::scalar, "switch", "s0", faults_)) {
        if (const auto id = find_switch(one->text, one->at)) {
          above.push_back(*id);
        }
      } else {
        complete_ = false;
      }
    } else if (several != nullptr) {
      for (const std::string& name : names(*several, "switches").value_or(std::vector<std::string>())) {
        if (const auto id = find_switch(name, several->at)) {
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
        faults_.add(*deal, "deal goes with switches, a host list of several; leave it out");
      }
      return 1;
    }
    deal = required(entry, "deal", "deal: 1 (that many hosts at a time go to each switch in turn)", faults_);
    return deal != nullptr ? whole_number(*deal, "deal", 1, faults_).value_or(1) : 1;
  }

  void read_aliases(const YamlNode& aliases, const std::unordered_map<std::string_view, NodeId>& mine) {
    if (!check_kind(aliases, Kind::mapping, "aliases", "{h0: [node0.lab]}", faults_)) {
      return;
    }
    for (std::size_t i = 0; i < aliases.keys.size(); ++i) {
      const auto hosts = names_of(aliases.keys[i], "aliases", "h[0-3]", most_nodes, faults_);
      if (!hosts) {
        continue;
      }
      const YamlNode& value = aliases.items[i];
      const std::size_t lists = value.is_sequence() ? value.items.size() : 1;
      for (std::size_t j = 0; j < lists; ++j) {
        const YamlNode& list = value.is_sequence() ? value.items[j] : value;
        const auto further = names_of(list, "aliases", "node[0-3].lab", most_nodes, faults_);
        if (further && further->size() != hosts->size()) {
          faults_.add(list, std::to_string(further->size()) + " aliases for " + std::to_string(hosts->size()) +
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
        faults_.add(key, hosts[i] + " is not among the hosts of this entry");
        return;
      }
      parts_.add_alias(host->second, aliases[i], at);
    }
  }

  void links(const YamlNode& root) {
    const YamlNode* list = root.find("links");
    if (list == nullptr) {
      return;
    }
    if (!check_kind(*list, Kind::sequence, "links", "[{between: [s0, s1]}]", faults_)) {
      complete_ = false;
      return;
    }
    static constexpr std::array<std::string_view, 3> keys{"between", "rate", "latency"};
    for (const YamlNode& entry : list->items) {
      if (!check_kind(entry, Kind::mapping, "an entry of links", "{between: [s0, s1]}", faults_)) {
        complete_ = false;
        continue;
      }
      check_keys(entry, keys, faults_);
      const Attributes given = read_attributes(entry, defaults_, faults_);
      const YamlNode* between = required(entry, "between", "between: [s0, s1]", faults_);
      const auto a = between != nullptr ? link_end(*between, 0) : std::nullopt;
      const auto b = between != nullptr ? link_end(*between, 1) : std::nullopt;
      if (a && b) {
        parts_.add_link(*a, *b, given, between->at);
      } else {
        complete_ = false;
      }
    }
  }

  std::optional<NodeId> link_end(const YamlNode& between, std::size_t which) {
    if (!between.is_sequence() || between.items.size() != 2) {
      if (which == 0) {
        faults_.add(between, "between must be a list of two names, such as [s0, s1]");
      }
      return std::nullopt;
    }
    const YamlNode& end = between.items[which];
    if (!check_kind(end, Kind::scalar, "an end of a link", "s0", faults_)) {
      return std::nullopt;
    }
    const auto found = parts_.find(end.text);
    if (!found && switches_known_) {
      const std::vector<std::string_view> known(switch_names_.begin(), switch_names_.end());
      faults_.add(end, end.text + " is neither a switch nor a host" + did_you_mean(end.text, known));
    }
    return found;
  }

  static constexpr std::size_t most_suggested = 1000;  ///< names looked at for "did you mean"

  Faults& faults_;
  PartsBuilder parts_;
  std::vector<std::string> switch_names_;
  Attributes defaults_;
  bool switches_known_ = false;
  bool complete_ = true;  ///< no link is missing because of a fault already reported
};

}  // namespace

Cluster parse_cluster(std::string_view yaml, const std::string& file) {
  return Cluster(read_document(yaml, cluster_format, file,
                               [](const YamlNode& root, Faults& faults) { return ClusterReader(faults).read(root); }));
}

Cluster read_cluster(const std::string& path) { return parse_cluster(read_text_file(path), path); }

}  // namespace trunkline
