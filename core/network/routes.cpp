// SPDX-License-Identifier: Apache-2.0
#include "network/routes.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace trunkline {
namespace {

/// Whole numbers, so that a way is as long there as back: latency, links, and a sum that differs between ways.
struct WayLength {
  std::uint64_t picoseconds = 0;
  std::uint32_t links = 0;
  std::uint64_t mark = 0;

  auto operator<=>(const WayLength&) const = default;  // NOLINT(modernize-use-nullptr): of its own making
};

/// Ways of the same latency and number of links are told apart by sums of these (Steele, Lea, Flood, 2014).
std::uint64_t mark_of(LinkId link) {
  std::uint64_t bits = (std::uint64_t{link} + 1) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return (bits ^ (bits >> 31U)) >> 24U;
}

WayLength length_of(const Link& link, LinkId id) {
  constexpr double longest_s = 1000.0;
  constexpr double picoseconds = 1e12;
  return {static_cast<std::uint64_t>(std::llround(std::min(link.mean_latency_s(), longest_s) * picoseconds)), 1,
          mark_of(id)};
}

WayLength sum(const WayLength& one, const WayLength& other) {
  return {one.picoseconds + other.picoseconds, one.links + other.links, one.mark + other.mark};
}

}  // namespace

Routes::Routes(std::span<const Node> nodes, std::span<const Link> links)
    : places_(nodes.size()), ends_(2 * links.size()), crossed_(links.size(), false) {
  for (NodeId node = 0; node < nodes.size(); ++node) {
    places_[node].is_host = nodes[node].kind == NodeKind::host;
    if (places_[node].is_host) continue;
    places_[node].at = switches_++;
    node_of_.push_back(node);
  }
  if (switches_ > most_routed_switches) {
    throw std::invalid_argument(std::to_string(switches_) + " switches are too many for shortest paths; at most " +
                                std::to_string(most_routed_switches) + " are routed");
  }
  out_.resize(switches_);
  for (LinkId id = 0; id < links.size(); ++id) {
    const Link& link = links[id];
    ends_[2 * std::size_t{id}] = link.b;
    ends_[2 * std::size_t{id} + 1] = link.a;
    for (const auto& [from, to, channel] :
         {std::tuple(link.a, link.b, 2 * id), std::tuple(link.b, link.a, 2 * id + 1)}) {
      if (places_[from].is_host) {
        places_[from].own = channel;
        places_[from].at = places_[to].at;
      } else if (!places_[to].is_host) {
        out_[places_[from].at].push_back({places_[to].at, channel});
      }
    }
  }
  next_.assign(std::size_t{switches_} * switches_, 0);
  for (std::uint32_t target = 0; target < switches_; ++target) find_ways_to(target, links);
  mark_crossed(nodes);
}

/// Dijkstra's, from the target: links are as long one way as the other.
void Routes::find_ways_to(std::uint32_t target, std::span<const Link> links) {
  using Reached = std::pair<WayLength, std::uint32_t>;
  std::vector<bool> is_settled(switches_, false);
  std::vector<WayLength> least(switches_);
  std::vector<bool> is_reached(switches_, false);
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  open.emplace(WayLength(), target);
  is_reached[target] = true;
  while (!open.empty()) {
    const auto [length, at] = open.top();
    open.pop();
    if (is_settled[at]) continue;
    is_settled[at] = true;
    for (const Hop& hop : out_[at]) {
      const WayLength further = sum(length, length_of(links[hop.channel / 2], hop.channel / 2));
      if (is_settled[hop.to] || (is_reached[hop.to] && least[hop.to] <= further)) continue;
      is_reached[hop.to] = true;
      least[hop.to] = further;
      next_[std::size_t{target} * switches_ + hop.to] = hop.channel ^ 1U;
      open.emplace(further, hop.to);
    }
  }
}

/// Of switches that have hosts, all ways to one end at a tree, whose links are marked once.
void Routes::mark_crossed(std::span<const Node> nodes) {
  std::vector<bool> has_hosts(switches_, false);
  for (NodeId node = 0; node < nodes.size(); ++node) {
    if (!places_[node].is_host) continue;
    has_hosts[places_[node].at] = true;
    crossed_[places_[node].own / 2] = true;
  }
  for (std::uint32_t target = 0; target < switches_; ++target) {
    if (!has_hosts[target]) continue;
    std::vector<bool> is_seen(switches_, false);
    is_seen[target] = true;
    for (std::uint32_t start = 0; start < switches_; ++start) {
      if (!has_hosts[start]) continue;
      for (std::uint32_t at = start; !is_seen[at];) {
        is_seen[at] = true;
        const ChannelId channel = next_[std::size_t{target} * switches_ + at];
        crossed_[channel / 2] = true;
        at = places_[ends_[channel]].at;
      }
    }
  }
}

}  // namespace trunkline
