// SPDX-License-Identifier: Apache-2.0
#include "network/file/impaired.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "network/file/places.hpp"
#include "network/impair/keys.hpp"
#include "text/quantity.hpp"

namespace trunkline {

namespace {

template <typename Target>
const ImpairKey<Target>* key_of(std::string_view name, std::span<const ImpairKey<Target>> keys) {
  const auto found = std::ranges::find(keys, name, &ImpairKey<Target>::name);
  return found == keys.end() ? nullptr : &*found;
}

void set(Cluster::Parts& parts, std::string_view name, std::string_view where, std::string_view value) {
  if (const auto* key = key_of(name, link_keys())) {
    for (LinkId id = 0; where.empty() && id < parts.links.size(); ++id) key->set(parts.links[id].impairments, value);
    if (where.empty()) return;
    for (const LinkId id : Places(parts.nodes, parts.links, parts.name, where).links())
      key->set(parts.links[id].impairments, value);
    return;
  }
  const auto* key = key_of(name, switch_keys());
  if (key == nullptr) throw std::invalid_argument("no impairment is called " + std::string(name));
  std::set<NodeId> switches;
  if (!where.empty()) switches = Places(parts.nodes, parts.links, parts.name, where).switches();
  for (NodeId id = 0; id < parts.nodes.size(); ++id) {
    const bool wanted = where.empty() ? parts.nodes[id].kind == NodeKind::network_switch : switches.contains(id);
    if (wanted) key->set(parts.nodes[id].settings, value);
  }
}

}  // namespace

Cluster impaired(const Cluster& cluster, std::string_view key, std::string_view setting) {
  Cluster::Parts parts = cluster.stated();
  const std::size_t equals = setting.rfind('=');
  const bool everywhere = equals == std::string_view::npos;
  if (!everywhere && equals == 0) {
    throw std::invalid_argument("\"" + std::string(setting) + "\" names no place before the =");
  }
  try {
    set(parts, key, everywhere ? "" : setting.substr(0, equals), everywhere ? setting : setting.substr(equals + 1));
  } catch (const BadQuantity& bad) {
    throw std::invalid_argument(bad.what());
  }
  return Cluster(std::move(parts));
}

Cluster unimpaired(const Cluster& cluster) {
  Cluster::Parts parts = cluster.stated();
  for (Link& link : parts.links) link.impairments = {};
  for (Node& node : parts.nodes) node.settings = {};
  return Cluster(std::move(parts));
}

Cluster with_queues(const Cluster& cluster, std::uint64_t bytes) {
  Cluster::Parts parts = cluster.stated();
  for (Node& node : parts.nodes) {
    const bool says_nothing = node.kind == NodeKind::network_switch && node.settings.queue_bytes == 0;
    if (says_nothing) node.settings.queue_bytes = bytes;
  }
  return Cluster(std::move(parts));
}

bool has_impairments(const Cluster& cluster) {
  return std::ranges::any_of(cluster.links(), [](const Link& link) { return link.impairments.any(); });
}

}  // namespace trunkline
