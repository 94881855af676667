// SPDX-License-Identifier: Apache-2.0
#include "network/file/cluster_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/file/attributes.hpp"
#include "network/file/parts_read.hpp"
#include "network/file/sections.hpp"
#include "network/impair/keys.hpp"
#include "network/routes.hpp"
#include "text/names.hpp"
#include "text/spelling.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {

namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view cluster_format = "cluster/1";

class ClusterReader {
 public:
  explicit ClusterReader(Faults& faults) : faults_(faults), read_{.faults = faults} {}

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
      if (check_kind(*node, Kind::mapping, "defaults", "{rate: 100Mbit, latency: 10us}", faults_)) {
        check_keys(*node,
                   with_keys(with_keys({"rate", "latency", "injection", "tcp_window"}, link_keys()), switch_keys()),
                   faults_);
        read_.defaults = read_attributes(*node, faults_);
        read_.switch_defaults = read_settings(*node, {}, faults_);
      }
    }
    const UsedPaths paths = used_paths(root);
    switches(root);
    read_hosts(root, read_);
    read_links(root, read_);
    read_.parts.report(read_.complete, root.at, faults_);
    if (paths == UsedPaths::shortest) check_routed(*root.find("paths"));
    read_.parts.describe(text_of(root, "name"), text_of(root, "description"));
    Cluster::Parts parts = read_.parts.take();
    parts.paths = paths;
    parts.measured = measured(root);
    return parts;
  }

 private:
  UsedPaths used_paths(const YamlNode& root) {
    static constexpr std::array<std::string_view, 3> known{"spanning-tree", "equal-cost", "shortest"};
    const YamlNode* node = root.find("paths");
    if (node == nullptr || !check_kind(*node, Kind::scalar, "paths", "equal-cost", faults_) || node->text == known[0]) {
      return UsedPaths::spanning_tree;
    }
    if (node->text == known[2]) return UsedPaths::shortest;
    if (node->text != known[1]) {
      faults_.add(*node, "paths: " + quoted(node->text) + " is none" + did_you_mean(node->text, known) +
                             "; write equal-cost where switches use all shortest paths (ECMP, SPB, MLAG), shortest "
                             "where routers take the one of least latency, else spanning-tree, or leave it out");
    }
    return UsedPaths::equal_cost;
  }

  void check_routed(const YamlNode& paths) {
    std::size_t switches = 0;
    for (NodeId id = 0; id < read_.parts.node_count(); ++id) {
      switches += read_.parts.node(id).kind == NodeKind::network_switch ? 1 : 0;
    }
    if (switches <= most_routed_switches) return;
    faults_.add(paths, "paths: shortest is worked out for up to " + std::to_string(most_routed_switches) +
                           " switches, and here are " + std::to_string(switches) +
                           "; leave it out, and the spanning tree is taken");
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

  void switches(const YamlNode& root) {
    const YamlNode* node = required(root, "switches", "switches: s[0-3]", faults_);
    read_.switches_known = node != nullptr && read_switches(*node, read_);
    read_.complete = read_.complete && read_.switches_known;
    if (read_.switches_known) {
      for (NodeId id = 0; id < std::min<std::size_t>(read_.parts.node_count(), most_suggested); ++id) {
        read_.switch_names.push_back(read_.parts.node(id).name);
      }
    }
  }

  static constexpr std::size_t most_suggested = 1000;  ///< names looked at for "did you mean"

  Faults& faults_;
  PartsRead read_;
};

}  // namespace

Cluster parse_cluster(std::string_view yaml, const std::string& file) {
  return Cluster(read_document(yaml, cluster_format, file,
                               [](const YamlNode& root, Faults& faults) { return ClusterReader(faults).read(root); }));
}

Cluster read_cluster(const std::string& path) { return parse_cluster(read_text_file(path), path); }

}  // namespace trunkline
