// SPDX-License-Identifier: Apache-2.0
#include "impair/snooping.hpp"

#include <algorithm>

namespace trunkline::fabric {

namespace {

Nanoseconds nanoseconds(double seconds) { return static_cast<Nanoseconds>(seconds * 1e9); }

}  // namespace

Snooping::Snooping(const Network& network) : network_(network), switches_(network.node_count()) {
  for (NodeId node = 0; node < switches_.size(); ++node) {
    if (network.settings(node).igmp == Igmp::querier) switches_[node].ask_at = 0;
  }
  find_next_query();
}

void Snooping::find_next_query() { next_query_ = std::ranges::min(switches_, {}, &Switch::ask_at).ask_at; }

void Snooping::note(std::uint32_t frame, Multicast multicast) {
  if (frame >= multicasts_.size()) multicasts_.resize(frame + 1);
  multicasts_[frame] = std::move(multicast);
}

const std::vector<ChannelId>& Snooping::route(NodeId node, ChannelId came_by, HostIndex from, std::uint32_t frame,
                                              Nanoseconds at) {
  using Kind = Multicast::Kind;
  Switch& here = switches_[node];
  const Multicast& multicast = multicasts_[frame];
  const ChannelId back = came_by ^ 1U;
  const bool floods = multicast.kind == Kind::flooded || multicast.kind == Kind::query;
  ports_.clear();
  if (multicast.kind == Kind::query && came_by != no_channel) hear_query(node, back, multicast, at);
  if (multicast.kind == Kind::report) hear_report(node, back, from, multicast, at);
  if (!floods) {
    std::erase_if(here.askers, [&](const auto& asker) { return asker.second <= at; });
    for (const auto& [port, until] : here.askers) ports_.push_back(port);
    if (multicast.kind == Kind::data) add_members(here, multicast.group, at);
    if (ports_.empty() && multicast.kind == Kind::data) ++here.counters.unregistered;
  }
  // Reports go to whoever asks for them. Where nobody does, they go everywhere: so switches know each other's members
  // until they forget them.
  const bool nobody_asks =
      multicast.kind == Kind::report && ports_.empty() && network_.settings(node).igmp != Igmp::querier;
  const std::vector<ChannelId>& leaving = network_.leaving(node);
  if (floods || nobody_asks) ports_.assign(leaving.begin(), leaving.end());
  std::erase(ports_, back);
  if (multicast.kind == Kind::data) {
    const std::size_t flooded = leaving.size() - (came_by == no_channel ? 0 : 1);
    here.counters.pruned += flooded - ports_.size();
  }
  return ports_;
}

void Snooping::hear_query(NodeId node, ChannelId port, const Multicast& query, Nanoseconds at) {
  Switch& here = switches_[node];
  // The standard's 255 s: how long one stays known that asks no longer.
  const Nanoseconds until = at + nanoseconds(2 * interval_s(node) + answer_s(node) / 2);
  const auto known = std::ranges::find(here.askers, port, &std::pair<ChannelId, Nanoseconds>::first);
  if (known == here.askers.end()) {
    here.askers.emplace_back(port, until);
  } else {
    known->second = until;
  }
  if (here.ask_at != never && query.asks < node) {  // one asks for all: the first in the file
    here.ask_at = until;
    find_next_query();
  }
}

void Snooping::hear_report(NodeId node, ChannelId port, HostIndex from, const Multicast& report, Nanoseconds at) {
  const Nanoseconds until = at + nanoseconds(network_.settings(node).igmp_ages_s);
  for (const auto& [group, joins] : report.memberships) {
    std::vector<Member>& members = switches_[node].groups[group];
    std::erase_if(members, [&](const Member& member) { return member.port == port && member.host == from; });
    if (joins) members.push_back({port, from, until});
  }
}

void Snooping::add_members(Switch& here, std::uint32_t group, Nanoseconds at) {
  const auto found = here.groups.find(group);
  if (found == here.groups.end()) return;
  std::erase_if(found->second, [&](const Member& member) { return member.until <= at; });
  for (const Member& member : found->second) {
    if (std::ranges::find(ports_, member.port) == ports_.end()) ports_.push_back(member.port);
  }
}

std::optional<NodeId> Snooping::take_query(Nanoseconds now) {
  if (next_query_ > now) return std::nullopt;
  const auto asking = std::ranges::min_element(switches_, {}, &Switch::ask_at);
  const auto node = static_cast<NodeId>(asking - switches_.begin());
  asking->ask_at = now + nanoseconds(interval_s(node));
  find_next_query();
  return node;
}

void Snooping::reset_counters() {
  for (Switch& one : switches_) one.counters = {};
}

}  // namespace trunkline::fabric
