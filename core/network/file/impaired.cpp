// SPDX-License-Identifier: Apache-2.0
#include "network/file/impaired.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "network/impair/keys.hpp"
#include "text/hostlist.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"

namespace trunkline {

namespace {

constexpr std::size_t most_named = 1'000'000;

class Places {
 public:
  Places(const Cluster::Parts& parts, std::string_view where) : parts_(parts), where_(where) {}

  /// Links that the text names.
  [[nodiscard]] std::vector<LinkId> links() const {
    const auto of_nodes = nodes(where_);
    if (of_nodes) {
      return those([&](const Link& link) { return of_nodes->contains(link.a) || of_nodes->contains(link.b); });
    }
    // Names may have a - of their own: whichever leaves two that are there.
    for (std::size_t at = where_.find('-'); at != std::string_view::npos; at = where_.find('-', at + 1)) {
      const auto a = nodes(where_.substr(0, at));
      const auto b = nodes(where_.substr(at + 1));
      if (!a || !b) continue;
      std::vector<LinkId> found = those([&](const Link& link) {
        return (a->contains(link.a) && b->contains(link.b)) || (a->contains(link.b) && b->contains(link.a));
      });
      if (!found.empty()) return found;
      throw std::invalid_argument("no link joins " + std::string(where_.substr(0, at)) + " and " +
                                  std::string(where_.substr(at + 1)));
    }
    throw std::invalid_argument(std::string(where_) + " is no host, switch or link of " + parts_.name + suggestion() +
                                "; write h3 for all links of it, h[0-3], or s0-s1 for the link between two");
  }

  /// Switches that the text names.
  [[nodiscard]] std::set<NodeId> switches() const {
    auto found = nodes(where_);
    const auto is_switch = [&](NodeId node) { return parts_.nodes[node].kind == NodeKind::network_switch; };
    if (!found || !std::ranges::all_of(*found, is_switch)) {
      throw std::invalid_argument(std::string(where_) + " is no switch of " + parts_.name + suggestion() +
                                  "; write s0, or s[0-3] for several");
    }
    return std::move(*found);
  }

 private:
  [[nodiscard]] std::optional<std::set<NodeId>> nodes(std::string_view text) const {
    std::set<NodeId> found;
    try {
      for (const std::string& name : expand_hostlist(text, most_named)) {
        const auto node = std::ranges::find(parts_.nodes, name, &Node::name);
        if (node == parts_.nodes.end()) return std::nullopt;
        found.insert(static_cast<NodeId>(node - parts_.nodes.begin()));
      }
    } catch (const BadHostlist&) {
      return std::nullopt;
    }
    return found;
  }

  [[nodiscard]] std::vector<LinkId> those(const std::function<bool(const Link&)>& wanted) const {
    std::vector<LinkId> found;
    for (LinkId id = 0; id < parts_.links.size(); ++id) {
      if (wanted(parts_.links[id])) found.push_back(id);
    }
    return found;
  }

  [[nodiscard]] std::string suggestion() const {
    std::vector<std::string_view> known;
    for (const Node& node : parts_.nodes) known.push_back(node.name);
    return did_you_mean(where_, known);
  }

  const Cluster::Parts& parts_;
  std::string_view where_;
};

template <typename Target>
const ImpairKey<Target>* key_of(std::string_view name, std::span<const ImpairKey<Target>> keys) {
  const auto found = std::ranges::find(keys, name, &ImpairKey<Target>::name);
  return found == keys.end() ? nullptr : &*found;
}

void set(Cluster::Parts& parts, std::string_view name, std::string_view where, std::string_view value) {
  if (const auto* key = key_of(name, link_keys())) {
    for (LinkId id = 0; where.empty() && id < parts.links.size(); ++id) key->set(parts.links[id].impairments, value);
    if (where.empty()) return;
    for (const LinkId id : Places(parts, where).links()) key->set(parts.links[id].impairments, value);
    return;
  }
  const auto* key = key_of(name, switch_keys());
  if (key == nullptr) throw std::invalid_argument("no impairment is called " + std::string(name));
  std::set<NodeId> switches;
  if (!where.empty()) switches = Places(parts, where).switches();
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

bool has_impairments(const Cluster& cluster) {
  return std::ranges::any_of(cluster.links(), [](const Link& link) { return link.impairments.any(); });
}

}  // namespace trunkline
