// SPDX-License-Identifier: Apache-2.0
#include "network/file/places.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "text/hostlist.hpp"
#include "text/spelling.hpp"

namespace trunkline {

namespace {

constexpr std::size_t most_named = 1'000'000;

std::string suggestion(std::string_view text, std::span<const Node> nodes) {
  std::vector<std::string_view> known;
  for (const Node& node : nodes) known.push_back(node.name);
  return did_you_mean(text, known);
}

[[noreturn]] void refuse_pair(std::string_view a, std::string_view b) {
  throw std::invalid_argument("no link joins " + std::string(a) + " and " + std::string(b));
}

}  // namespace

std::vector<LinkId> Places::links() const {
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
    if (found.empty()) refuse_pair(where_.substr(0, at), where_.substr(at + 1));
    return found;
  }
  refuse(where_);
}

std::vector<ChannelId> Places::channels() const {
  const std::size_t arrow = where_.find("->");
  if (arrow != std::string_view::npos) return one_way(where_.substr(0, arrow), where_.substr(arrow + 2));
  std::vector<ChannelId> both;
  for (const LinkId id : where_ == "*" ? those([](const Link&) { return true; }) : links()) {
    both.push_back(2 * id);
    both.push_back(2 * id + 1);
  }
  return both;
}

std::vector<ChannelId> Places::one_way(std::string_view from, std::string_view to) const {
  const auto leave = nodes(from);
  const auto reach = nodes(to);
  if (!leave || !reach) refuse(leave ? to : from);
  std::vector<ChannelId> found;
  for (LinkId id = 0; id < links_.size(); ++id) {
    const Link& link = links_[id];
    if (leave->contains(link.a) && reach->contains(link.b)) found.push_back(2 * id);
    if (leave->contains(link.b) && reach->contains(link.a)) found.push_back(2 * id + 1);
  }
  if (found.empty()) refuse_pair(from, to);
  return found;
}

std::set<NodeId> Places::switches() const {
  auto found = nodes(where_);
  const auto is_switch = [&](NodeId node) { return nodes_[node].kind == NodeKind::network_switch; };
  if (!found || !std::ranges::all_of(*found, is_switch)) {
    throw std::invalid_argument(std::string(where_) + " is no switch of " + std::string(network_) +
                                suggestion(where_, nodes_) + "; write s0, or s[0-3] for several");
  }
  return std::move(*found);
}

std::optional<std::set<NodeId>> Places::nodes(std::string_view text) const {
  std::set<NodeId> found;
  try {
    for (const std::string& name : expand_hostlist(text, most_named)) {
      const auto node = std::ranges::find(nodes_, name, &Node::name);
      if (node == nodes_.end()) return std::nullopt;
      found.insert(static_cast<NodeId>(node - nodes_.begin()));
    }
  } catch (const BadHostlist&) {
    return std::nullopt;
  }
  return found;
}

std::vector<LinkId> Places::those(const std::function<bool(const Link&)>& wanted) const {
  std::vector<LinkId> found;
  for (LinkId id = 0; id < links_.size(); ++id) {
    if (wanted(links_[id])) found.push_back(id);
  }
  return found;
}

void Places::refuse(std::string_view text) const {
  throw std::invalid_argument(std::string(text) + " is no host, switch or link of " + std::string(network_) +
                              suggestion(text, nodes_) +
                              "; write h3 for all links of it, h[0-3], or s0-s1 for the link between two");
}

}  // namespace trunkline
