// SPDX-License-Identifier: Apache-2.0
#include "network/cluster.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "network/bundles.hpp"
#include "network/fingerprint.hpp"
#include "network/long_links.hpp"
#include "network/parts_check.hpp"
#include "network/routes.hpp"
#include "network/spanning_tree.hpp"
#include "text/names.hpp"

namespace trunkline {

namespace {

constexpr NodeId root_node = 0;

}  // namespace

Cluster::Cluster(Parts parts) {
  const std::vector<PartsFault> faults = check_parts(parts);
  if (!faults.empty()) {
    throw std::invalid_argument(faults.front().message);
  }
  paths_ = parts.paths;
  measured_ = parts.measured;
  if (paths_ == UsedPaths::equal_cost) {
    Bundles bundles = bundle_equal_cost_paths(parts);
    if (bundles.parts.links.size() < parts.links.size()) {
      stated_ = std::make_shared<const Parts>(std::exchange(parts, std::move(bundles.parts)));
      merged_ = std::move(bundles.merged);
    }
  }
  name_ = std::move(parts.name);
  description_ = std::move(parts.description);
  nodes_ = std::move(parts.nodes);
  links_ = std::move(parts.links);
  for (Link& link : links_) {
    if (link.back == link.way(0)) link.back.reset();
  }
  const bool is_routed = paths_ == UsedPaths::shortest;
  mark_spanning_tree(nodes_.size(), links_, is_routed ? long_links_of(nodes_, links_) : std::vector<bool>());
  if (is_routed && !std::ranges::all_of(links_, &Link::in_tree)) {
    routes_ = std::make_shared<const Routes>(nodes_, links_);
  }
  index_hops();
  root_tree();
  index_hosts();
  has_sites_ = sites_of(*this).are_several();
  fingerprint_ = network_fingerprint(*this);
}

Cluster::Parts Cluster::stated() const {
  return stated_ ? *stated_ : Parts{name_, description_, nodes_, links_, paths_, measured_};
}

void Cluster::index_hops() {
  hop_begin_.assign(nodes_.size() + 1, 0);
  for (const Link& link : links_) {
    if (link.in_tree) {
      ++hop_begin_[link.a + 1];
      ++hop_begin_[link.b + 1];
    }
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    hop_begin_[node + 1] += hop_begin_[node];
  }
  hops_.resize(hop_begin_.back());
  std::vector<std::size_t> next(hop_begin_.begin(), hop_begin_.end() - 1);
  for (LinkId id = 0; id < links_.size(); ++id) {
    const Link& link = links_[id];
    if (link.in_tree) {
      hops_[next[link.a]++] = {link.b, 2 * id};
      hops_[next[link.b]++] = {link.a, 2 * id + 1};
    }
  }
}

void Cluster::root_tree() {
  parent_.assign(nodes_.size(), root_node);
  parent_channel_.assign(nodes_.size(), 0);
  depth_.assign(nodes_.size(), 0);
  std::vector<NodeId> queue{root_node};
  queue.reserve(nodes_.size());
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const NodeId node = queue[next];
    for (const Hop& hop : neighbours(node)) {
      if (node == root_node || hop.to != parent_[node]) {
        parent_[hop.to] = node;
        parent_channel_[hop.to] = hop.channel ^ 1U;
        depth_[hop.to] = depth_[node] + 1;
        queue.push_back(hop.to);
      }
    }
  }
}

void Cluster::index_hosts() {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].kind != NodeKind::host) {
      continue;
    }
    const auto host = static_cast<HostIndex>(hosts_.size());
    hosts_.push_back(node);
    tree_parent_switch_.push_back(neighbours(node).front().to);
    const auto add = [&](const std::string& name) {
      by_name_.emplace(name, host);
      const std::string small = in_small_letters(name);
      for (auto& [names, form] :
           {std::pair(&by_small_name_, small), {&by_short_name_, std::string(short_name(small))}}) {
        const auto [there, is_new] = names->emplace(form, host);
        if (!is_new && there->second != host) there->second.reset();
      }
    };
    add(nodes_[node].name);
    std::for_each(nodes_[node].aliases.begin(), nodes_[node].aliases.end(), add);
  }
}

Link Cluster::own_link(HostIndex host) const {
  const ChannelId channel = neighbours(hosts_.at(host)).front().channel;
  return channel % 2 == 0 ? link_of(channel) : link_of(channel).turned();
}

std::span<const Cluster::Hop> Cluster::neighbours(NodeId node) const {
  const std::size_t begin = hop_begin_.at(node);
  return std::span(hops_).subspan(begin, hop_begin_[node + 1] - begin);
}

std::vector<ChannelId> Cluster::path(NodeId u, NodeId v) const {
  if (u >= nodes_.size() || v >= nodes_.size()) {
    throw std::out_of_range("a path from or to a node that is not there");
  }
  std::vector<ChannelId> up;
  std::vector<ChannelId> down;
  if (routes_) {
    routes_->walk(u, v, [&](ChannelId channel) { up.push_back(channel); });
    return up;
  }
  while (u != v) {
    if (depth_[u] >= depth_[v]) {
      up.push_back(parent_channel_[u]);
      u = parent_[u];
    } else {
      down.push_back(parent_channel_[v] ^ 1U);
      v = parent_[v];
    }
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

std::optional<HostIndex> Cluster::find_host(std::string_view processor_name) const {
  if (const auto exact = by_name_.find(std::string(processor_name)); exact != by_name_.end()) {
    return exact->second;
  }
  const std::string small = in_small_letters(processor_name);
  if (const auto by_small = by_small_name_.find(small); by_small != by_small_name_.end()) return by_small->second;
  const auto by_short = by_short_name_.find(std::string(short_name(small)));
  return by_short == by_short_name_.end() ? std::nullopt : by_short->second;
}

NodeId Cluster::channel_from(ChannelId channel) const {
  return channel % 2 == 0 ? link_of(channel).a : link_of(channel).b;
}

NodeId Cluster::channel_to(ChannelId channel) const { return channel_from(channel ^ 1U); }

std::string Cluster::channel_name(ChannelId channel) const {
  return nodes_[channel_from(channel)].name + "->" + nodes_[channel_to(channel)].name;
}

bool Cluster::is_used(LinkId link) const { return links_.at(link).in_tree || (routes_ && routes_->crosses(link)); }

std::vector<LinkId> Cluster::unused_links() const {
  std::vector<LinkId> unused;
  for (LinkId id = 0; id < links_.size(); ++id) {
    if (!is_used(id)) {
      unused.push_back(id);
    }
  }
  return unused;
}

}  // namespace trunkline
