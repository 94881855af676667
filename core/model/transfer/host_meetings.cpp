// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/host_meetings.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "model/transfer/repeated_sum.hpp"

namespace trunkline {

HostMeetings::HostMeetings(const Paths& paths, std::vector<NodeId> hosts, std::vector<Rank> places, Rank count,
                           double amount)
    : paths_(paths),
      hosts_(std::move(hosts)),
      places_(std::move(places)),
      count_(count),
      amount_(amount),
      at_place_(count, 0),
      loads_(count),
      length_(count, 0) {
  if (paths_.routes() != nullptr || paths_.any_tcp_window()) return;
  for (const Rank place : places_) ++at_place_[place];
  count_transfers();
  add_ports();
  add_trunks();
  const auto is_even = [&](std::uint64_t length) { return PathLoads::hashes_evenly(paths_, length); };
  if (paths_.any_wide() && !std::ranges::all_of(length_, is_even)) return;
  add_ways();
}

void HostMeetings::count_transfers() {
  for (Rank number = 0; number < count_; ++number) {
    TimedRound::Loads& loads = loads_[number];
    std::uint64_t transfers = 0;
    for (Rank place = 0; place < count_; ++place) {
      const std::uint64_t met_by_each = met(number, place);
      transfers += at_place_[place] * met_by_each;
    }
    loads.transfers = static_cast<double>(transfers);
    add_times(loads.amounts, amount_, static_cast<std::uint32_t>(transfers));
    if (transfers > 0) loads.most_amount = amount_;
  }
}

/// As many transfers one way as the other: who sends to another host gets as much of it.
void HostMeetings::load(Rank number, ChannelId channel, std::uint64_t transfers) {
  double carried = 0.0;
  add_times(carried, amount_, static_cast<std::uint32_t>(transfers));
  double& slowest_s = loads_[number].seconds_per_byte;
  for (const ChannelId way : {channel, channel ^ 1U}) {
    slowest_s = std::max(slowest_s, paths_.spread_byte_s(way) * carried);
  }
  length_[number] += 2 * transfers;
}

/// Hosts of one place carry alike: the slowest port of them counts.
void HostMeetings::add_ports() {
  const auto port_of = [&](NodeId host) { return paths_.cluster().neighbours(host).front().channel; };
  const auto slower_s = [&](ChannelId port) {
    return std::max(paths_.spread_byte_s(port), paths_.spread_byte_s(port ^ 1U));
  };
  std::vector<ChannelId> slowest(count_);
  std::vector<bool> any(count_, false);
  for (std::size_t at = 0; at < hosts_.size(); ++at) {
    const ChannelId port = port_of(hosts_[at]);
    ChannelId& here = slowest[places_[at]];
    if (!any[places_[at]] || slower_s(port) > slower_s(here)) here = port;
    any[places_[at]] = true;
  }
  for (Rank place = 0; place < count_; ++place) {
    if (!any[place]) continue;
    for (Rank number = 0; number < count_; ++number) {
      const std::uint64_t transfers = met(number, place);
      load(number, slowest[place], transfers);
      length_[number] += 2 * transfers * (at_place_[place] - 1);  // of the other ports
    }
  }
}

/// A channel between switches carries what hosts below it send to all that are not.
void HostMeetings::add_trunks() {
  const Cluster& cluster = paths_.cluster();
  std::vector<std::vector<std::uint32_t>> below(cluster.nodes().size());  // by switch and place: how many hosts
  const auto add = [&](NodeId node, Rank place, std::uint32_t hosts) {
    if (below[node].empty()) below[node].resize(count_, 0);
    below[node][place] += hosts;
  };
  const std::span<const NodeId> top_down = paths_.top_down();
  const NodeId top = top_down.front();
  for (std::size_t at = 0; at < hosts_.size(); ++at) {
    if (hosts_[at] != top) add(cluster.parent_of(hosts_[at]), places_[at], 1);
  }
  for (auto node = top_down.rbegin(); node != top_down.rend() && *node != top; ++node) {
    std::vector<std::uint32_t> own = std::move(below[*node]);
    if (own.empty()) continue;
    std::vector<Rank> places;
    for (Rank place = 0; place < count_; ++place) {
      if (own[place] == 0) continue;
      places.push_back(place);
      add(cluster.parent_of(*node), place, own[place]);
    }
    // Where the top is a host, what is above its switch is its port.
    if (cluster.parent_of(*node) == top && cluster.nodes()[top].kind == NodeKind::host) continue;
    for (Rank number = 0; number < count_; ++number) {
      std::uint64_t transfers = 0;
      for (const Rank place : places) {
        const Rank beyond = other(number, place);
        transfers += std::uint64_t{own[place]} * (at_place_[beyond] - own[beyond]);
      }
      load(number, cluster.channel_to_parent(*node), transfers);
    }
  }
}

std::vector<HostMeetings::Sort> HostMeetings::sorts() const {
  const Cluster& cluster = paths_.cluster();
  const auto key_of = [&](NodeId host) {
    const auto& to_switch = cluster.neighbours(host).front();
    const auto port = [&](ChannelId way) { return std::tuple(paths_.byte_s(way), cluster.way(way).latency_s); };
    return std::tuple(host == paths_.top_down().front(), to_switch.to, port(to_switch.channel),
                      port(to_switch.channel ^ 1U), cluster.nodes()[host].injection_s);
  };
  std::map<decltype(key_of(NodeId{})), std::size_t> known;
  std::vector<Sort> sorts;
  for (std::size_t at = 0; at < hosts_.size(); ++at) {
    const auto [sort, is_new] = known.try_emplace(key_of(hosts_[at]), sorts.size());
    if (is_new) sorts.push_back({.hosts = {}, .at_place = std::vector<std::uint32_t>(count_, 0), .places = {}});
    Sort& own = sorts[sort->second];
    if (own.hosts.size() < 2) own.hosts.push_back(hosts_[at]);
    if (own.at_place[places_[at]]++ == 0) own.places.push_back(places_[at]);
  }
  return sorts;
}

bool HostMeetings::meet(const Sort& one, const Sort& other_sort, Rank number) const {
  return std::ranges::any_of(one.places, [&](Rank place) {
    const Rank beyond = other(number, place);
    return other_sort.at_place[beyond] > (&one == &other_sort && beyond == place ? 1U : 0U);
  });
}

/// The most and the least of all ways of each round: pairs of sorts are looked at from that end until each round has
/// one of them.
void HostMeetings::add_ways() {
  const std::vector<Sort> all = sorts();
  if (all.size() > most_sorts) return;
  known_ = true;
  struct Way {
    const Sort* from;
    const Sort* to;
    double latency_s;
    double frame_byte_s;
    double slowest_byte_s;
  };
  std::vector<Way> ways;
  for (const Sort& from : all) {
    for (const Sort& to : all) {
      if (&from == &to && from.hosts.size() == 1) continue;
      const NodeId u = from.hosts.front();
      const NodeId v = to.hosts.back();
      const NodeId meeting = paths_.meeting(u, v);
      const double port_byte_s = paths_.byte_s(paths_.cluster().neighbours(u).front().channel);
      ways.push_back({.from = &from,
                      .to = &to,
                      .latency_s = paths_.latency_s(u, v, meeting) + paths_.cluster().nodes()[u].injection_s,
                      .frame_byte_s = paths_.byte_s(u, v, meeting) - port_byte_s,
                      .slowest_byte_s = amount_ * paths_.slowest_byte_s(u, v, meeting)});
    }
  }
  const auto first_of_each = [&](auto order, double Way::*what, const auto& found) {
    std::ranges::sort(ways, order, what);
    std::vector<Rank> open;
    for (Rank number = 0; number < count_; ++number) {
      if (loads_[number].transfers > 0.0) open.push_back(number);
    }
    for (const Way& way : ways) {
      if (open.empty()) break;
      std::erase_if(open, [&](Rank number) {
        if (!meet(*way.from, *way.to, number)) return false;
        found(loads_[number], way.*what);
        return true;
      });
    }
  };
  using Loads = TimedRound::Loads;
  first_of_each(std::less(), &Way::latency_s, [](Loads& loads, double least) { loads.shortest_latency_s = least; });
  first_of_each(std::greater(), &Way::latency_s,
                [](Loads& loads, double most) { loads.most_latency_s = std::max(most, 0.0); });
  first_of_each(std::greater(), &Way::frame_byte_s,
                [](Loads& loads, double most) { loads.most_frame_byte_s = std::max(most, 0.0); });
  first_of_each(std::greater(), &Way::slowest_byte_s, [](Loads& loads, double most) {
    loads.most_alone_byte_s = most;
    loads.seconds_per_byte = std::max(loads.seconds_per_byte, most);
  });
}

}  // namespace trunkline
