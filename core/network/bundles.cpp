// SPDX-License-Identifier: Apache-2.0
#include "network/bundles.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "text/names.hpp"

namespace trunkline {
namespace {

using Group = std::uint32_t;
using Ways = std::tuple<double, double, double, double>;  ///< rate and latency of a link there, and back
using LeadsTo = std::pair<Group, Ways>;                   ///< where a link leads
using Look = std::map<LeadsTo, std::uint64_t>;            ///< what a switch sees: the widths of each kind together

/// Seen from one of its ends.
Ways ways_from(const Link& link, bool from_a) {
  const OneWay out = link.way(from_a ? 0 : 1);
  const OneWay in = link.way(from_a ? 1 : 0);
  return {out.rate_bps, out.latency_s, in.rate_bps, in.latency_s};
}

/// Splits groups until all switches of each look alike.
class Refinement {
 public:
  explicit Refinement(const Cluster::Parts& parts) : parts_(parts), links_(parts.nodes.size()) {
    std::vector<bool> has_hosts(parts.nodes.size(), false);
    for (LinkId id = 0; id < parts.links.size(); ++id) {
      for (const auto& [end, other] :
           {std::pair(parts.links[id].a, parts.links[id].b), std::pair(parts.links[id].b, parts.links[id].a)}) {
        links_[end].push_back({id, other});
        if (parts.nodes[other].kind == NodeKind::host) has_hosts[end] = true;
      }
    }
    group_.resize(parts.nodes.size());
    std::vector<NodeId> alike;  // as far as is known: all switches without hosts
    for (NodeId node = 0; node < parts.nodes.size(); ++node) {
      if (parts.nodes[node].kind == NodeKind::network_switch && !has_hosts[node]) {
        alike.push_back(node);
      } else {
        add_group({node});
      }
    }
    if (!alike.empty()) add_group(alike);
    while (!alike.empty()) alike = split(alike);
  }

  [[nodiscard]] const std::vector<Group>& groups() const { return group_; }

 private:
  void add_group(std::vector<NodeId> members) {
    for (const NodeId node : members) group_[node] = static_cast<Group>(members_.size());
    size_.push_back(members.size());
    members_.push_back(std::move(members));
  }

  [[nodiscard]] Look look_of(NodeId node) const {
    Look look;
    for (const auto& [id, other] : links_[node]) {
      const Link& link = parts_.links[id];
      look[{group_[other], ways_from(link, link.a == node)}] += link.width;
    }
    return look;
  }

  /// Looks again at switches near which groups changed; returns those near which they do now. Of a group that splits,
  /// the largest part keeps its number, so that a switch changes its own O(log(nodes)) times.
  std::vector<NodeId> split(const std::vector<NodeId>& touched) {
    std::map<Group, std::map<Look, std::vector<NodeId>>> seen;
    for (const NodeId node : touched) seen[group_[node]][look_of(node)].push_back(node);
    std::vector<NodeId> moved;
    for (auto& [group, looks] : seen) {
      std::size_t rest = size_[group];  // near which nothing changed: they look as they did, and no other part does
      std::vector<std::vector<NodeId>> parts;
      for (auto& [look, nodes] : looks) {
        rest -= nodes.size();
        parts.push_back(std::move(nodes));
      }
      std::swap(*std::ranges::max_element(parts, {}, &std::vector<NodeId>::size), parts.back());
      size_[group] = rest;
      if (rest < parts.back().size()) {
        std::vector<NodeId> largest = std::move(parts.back());
        parts.pop_back();
        if (rest > 0) parts.push_back(others(group, largest, parts));
        size_[group] = largest.size();
        members_[group] = std::move(largest);
      }
      for (std::vector<NodeId>& part : parts) {
        moved.insert(moved.end(), part.begin(), part.end());
        add_group(std::move(part));
      }
    }
    std::unordered_set<NodeId> near;
    for (const NodeId node : moved) {
      for (const auto& [id, other] : links_[node]) {
        if (size_[group_[other]] > 1) near.insert(other);
      }
    }
    return {near.begin(), near.end()};
  }

  /// The group's switches that are in none of its parts.
  [[nodiscard]] std::vector<NodeId> others(Group group, const std::vector<NodeId>& largest,
                                           const std::vector<std::vector<NodeId>>& parts) const {
    std::unordered_set<NodeId> taken(largest.begin(), largest.end());
    for (const std::vector<NodeId>& part : parts) taken.insert(part.begin(), part.end());
    std::vector<NodeId> rest;
    std::ranges::copy_if(members_[group], std::back_inserter(rest),
                         [&](NodeId node) { return group_[node] == group && !taken.contains(node); });
    return rest;
  }

  struct End {
    LinkId id;
    NodeId other;
  };

  const Cluster::Parts& parts_;
  std::vector<std::vector<End>> links_;       ///< by node
  std::vector<Group> group_;                  ///< by node
  std::vector<std::vector<NodeId>> members_;  ///< by group; also some that have left it
  std::vector<std::size_t> size_;             ///< by group
};

/// `spine-1+3`, or with more + where that is somebody's name.
std::string merged_name(const std::string& first, std::size_t further, const std::unordered_set<std::string>& taken) {
  for (std::string sign = "+";; sign += "+") {
    const std::string suffix = sign + std::to_string(further);
    std::string name = first.substr(0, longest_name - suffix.size()) + suffix;
    if (!taken.contains(name)) return name;
  }
}

}  // namespace

Bundles bundle_equal_cost_paths(const Cluster::Parts& parts) {
  const std::vector<Group> group = Refinement(parts).groups();
  Bundles bundles;
  bundles.parts.name = parts.name;
  bundles.parts.description = parts.description;
  bundles.parts.paths = parts.paths;
  std::map<Group, NodeId> made;  // the node of each group
  std::map<NodeId, std::vector<std::string>> switches;
  std::unordered_set<std::string> taken;
  for (NodeId node = 0; node < parts.nodes.size(); ++node) {
    taken.insert(parts.nodes[node].name);
    taken.insert(parts.nodes[node].aliases.begin(), parts.nodes[node].aliases.end());
    const auto [place, is_new] = made.try_emplace(group[node], static_cast<NodeId>(bundles.parts.nodes.size()));
    if (is_new) bundles.parts.nodes.push_back(parts.nodes[node]);
    std::uint64_t& queue_bytes = bundles.parts.nodes[place->second].settings.queue_bytes;
    queue_bytes = std::min(queue_bytes, parts.nodes[node].settings.queue_bytes);  // 0 where one says nothing
    switches[place->second].push_back(parts.nodes[node].name);
  }
  for (auto& [node, names] : switches) {
    if (names.size() == 1) continue;
    Node& merged = bundles.parts.nodes[node];
    merged.name = merged_name(merged.name, names.size() - 1, taken);
    taken.insert(merged.name);
    bundles.merged.push_back({merged.name, std::move(names)});
  }
  std::map<std::tuple<NodeId, NodeId, Ways>, std::size_t> place;  // of links that become one
  for (const Link& link : parts.links) {
    Link one = link;
    one.a = made.at(group[link.a]);
    one.b = made.at(group[link.b]);
    bundles.channel_of.emplace_back();
    if (one.a == one.b) continue;
    const auto [low, high] = std::minmax(one.a, one.b);
    const auto [there, is_new] =
        place.try_emplace({low, high, ways_from(link, one.a == low)}, bundles.parts.links.size());
    if (is_new) {
      bundles.parts.links.push_back(one);
    } else {
      Link& wider = bundles.parts.links[there->second];
      wider.impairments = mean(wider.impairments, wider.width, link.impairments, link.width);
      wider.width += link.width;
    }
    const bool leads_as_it = bundles.parts.links[there->second].a == one.a;
    bundles.channel_of.back() = static_cast<ChannelId>(2 * there->second + (leads_as_it ? 0 : 1));
  }
  return bundles;
}

}  // namespace trunkline
