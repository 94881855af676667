// SPDX-License-Identifier: Apache-2.0
#include "replay/resources.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/transfer/wire.hpp"
#include "network/link_taken.hpp"

namespace trunkline {
namespace {

std::uint64_t pair_of(std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32U | to; }

double first_frame(double wire) { return std::min(wire, static_cast<double>(frame_wire_bytes)); }

}  // namespace

Resources::Resources(const Paths& paths, const std::vector<HostIndex>& host_of, const HostCosts& hosts)
    : paths_(paths), host_of_(host_of), hosts_(hosts), processors_(host_of.size()) {
  const Cluster& cluster = paths.cluster();
  std::uint32_t links = 0;
  for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
    first_link_.push_back(links);
    links += cluster.link_of(channel).width;
  }
  links_.resize(links);
}

void Resources::add(double at, std::uint32_t number, Stage stage) {
  heap_.push_back({at, events_++, number, stage});
  std::ranges::push_heap(heap_, std::greater{});
}

double Resources::occupy(Rank processor, double seconds) {
  Processor& own = processors_[processor];
  own.sends_until = std::max({now_, own.sends_until, own.receives_until}) + seconds;
  return own.sends_until;
}

double Resources::shared_processors(double leaves, std::uint64_t bytes) {
  if (!hosts_.share_processors()) return leaves;
  machine_until_ = std::max(machine_until_, now_) + hosts_.together_s(1.0, static_cast<double>(bytes));
  return std::max(leaves, machine_until_);
}

void Resources::combine(Rank processor, std::uint64_t bytes) {
  if (hosts_.combine_byte_s > 0.0) occupy(processor, hosts_.combine_byte_s * static_cast<double>(bytes));
}

void Resources::send(const ReplayedMessage& message) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  UnderWay& one = messages_[number];
  one = {.message = message, .wire = static_cast<double>(wire_bytes(message.bytes))};
  const HostIndex from = host_of_[message.from];
  const HostIndex to = host_of_[message.to];
  const auto bytes = static_cast<double>(message.bytes);
  if (from == to) {
    const double each_s = hosts_.local_send_s + hosts_.local_send_byte_s * bytes;
    add(occupy(message.from, message.sent * each_s), number, Stage::arrives);
    return;
  }
  one.path = &path(from, to);
  one.eager = hosts_.is_eager(message.bytes);
  const double injection_s = paths_.cluster().nodes()[paths_.cluster().hosts()[from]].injection_s;
  const double announced_s = one.eager ? 0.0 : hosts_.rendezvous_s;
  const double leaves = occupy(message.from, injection_s + hosts_.send_s + hosts_.send_byte_s * one.wire + announced_s);
  add(in_window(one, shared_processors(leaves, message.bytes)), number, Stage::enters);
}

const Resources::Path& Resources::path(HostIndex from, HostIndex to) {
  const auto [known, is_new] = known_paths_.try_emplace(pair_of(from, to));
  Path& path = known->second;
  if (!is_new) return path;
  const Cluster& cluster = paths_.cluster();
  const NodeId u = cluster.hosts()[from];
  const NodeId v = cluster.hosts()[to];
  for (const ChannelId channel : cluster.path(u, v)) {
    const std::uint32_t width = cluster.link_of(channel).width;
    path.hops.push_back({.link = first_link_[channel] + (width > 1 ? link_taken(from, to, width) : 0),
                         .byte_s = paths_.byte_s(channel),
                         .latency_s = cluster.way(channel).latency_s});
    for (Path::Hop& hop : path.hops) {
      hop.after_s += path.hops.back().latency_s;
      if (&hop != &path.hops.back()) hop.after_frame_byte_s += path.hops.back().byte_s;
    }
    path.round_trip_s += cluster.way(channel).latency_s + cluster.way(channel ^ 1U).latency_s;
  }
  for (const NodeId end : {u, v}) {
    const auto window = static_cast<double>(cluster.nodes()[end].tcp_window_bytes);
    if (window > 0.0) path.window_bytes = std::min(path.window_bytes, window);
  }
  return path;
}

/// From when on TCP's window has room for the message, after those that the same rank has sent to the same one. Of a
/// longer one than a window the rest waits, as if all of it came later by that time.
double Resources::in_window(const UnderWay& one, double start) {
  if (!paths_.any_tcp_window()) return start;
  const double window = one.path->window_bytes;
  const auto bytes = static_cast<double>(one.message.bytes);
  double slowest_byte_s = 0.0;
  for (const Path::Hop& hop : one.path->hops) slowest_byte_s = std::max(slowest_byte_s, hop.byte_s);
  const double byte_s = one.path->round_trip_s / window;
  if (byte_s <= slowest_byte_s) return start;
  double& drained_until = drained_until_[pair_of(one.message.from, one.message.to)];
  start = std::max(start, drained_until - (window - std::min(bytes, window)) * byte_s);
  drained_until = std::max(drained_until, start) + bytes * byte_s;
  return start + std::max(0.0, bytes - window) * (byte_s - slowest_byte_s);
}

/// The first frame comes to a link.
void Resources::enter(std::uint32_t number) {
  UnderWay& one = messages_[number];
  const Path::Hop& hop = one.path->hops[one.hop];
  const double frame = first_frame(one.wire);
  const bool is_port = one.hop == 0;
  const bool is_last = one.hop + 1 == one.path->hops.size();
  if (is_port) one.left = static_cast<std::uint32_t>(one.path->hops.size());
  double start = now_;
  if (is_port ? one.eager || !hosts_.shares_wire : is_last && one.wire <= frame) {
    double& until = links_[hop.link].until;
    start = std::max(now_, until);
    until = start + one.wire * hop.byte_s;
    leave(one, number, hop, until);
  } else {
    join(hop, number);
  }
  ++one.hop;
  if (!is_last) add(start + frame * hop.byte_s + hop.latency_s, number, Stage::enters);
}

/// What each flow has had since it was last looked at.
void Resources::go_on(Link& link) const {
  if (!link.flows.empty()) link.had += (now_ - link.at) / static_cast<double>(link.flows.size());
  link.at = now_;
}

void Resources::look_ahead(std::uint32_t number) {
  Link& link = links_[number];
  if (link.flows.empty()) return;
  link.next = now_ + std::max(0.0, link.flows.front().ends - link.had) * static_cast<double>(link.flows.size());
  add(link.next, number, Stage::leaves);
}

void Resources::join(const Path::Hop& hop, std::uint32_t number) {
  Link& link = links_[hop.link];
  go_on(link);
  link.flows.push_back({link.had + messages_[number].wire * hop.byte_s, number, messages_[number].hop});
  std::ranges::push_heap(link.flows, std::greater{});
  look_ahead(hop.link);
}

/// The first of the flows that share a link ends there, unless others have come since that was foreseen.
void Resources::leave(std::uint32_t number) {
  Link& link = links_[number];
  if (link.flows.empty() || now_ != link.next) return;
  go_on(link);
  const Link::Flow flow = link.flows.front();
  std::ranges::pop_heap(link.flows, std::greater{});
  link.flows.pop_back();
  look_ahead(number);
  UnderWay& one = messages_[flow.message];
  leave(one, flow.message, one.path->hops[flow.hop], now_);
}

void Resources::leave(UnderWay& one, std::uint32_t number, const Path::Hop& hop, double at) {
  one.arrives_at = std::max(one.arrives_at, at + hop.after_s + first_frame(one.wire) * hop.after_frame_byte_s);
  if (--one.left > 0) return;
  add(one.arrives_at + (one.eager ? 0.0 : one.path->round_trip_s), number, Stage::arrives);
}

void Resources::arrive(std::uint32_t number) {
  const Rank processor = messages_[number].message.to;
  Processor& own = processors_[processor];
  (own.first == none ? own.first : messages_[own.last].next) = number;
  own.last = number;
  if (!own.is_waiting) look(processor);
}

/// What it sends goes first; then it takes in the next message.
void Resources::look(Rank processor) {
  Processor& own = processors_[processor];
  own.is_waiting = own.first != none;
  if (!own.is_waiting) return;
  const double free_at = std::max(own.sends_until, own.receives_until);
  if (free_at > now_) return add(free_at, processor, Stage::looks);
  const std::uint32_t number = std::exchange(own.first, messages_[own.first].next);
  const UnderWay& one = messages_[number];
  const double seconds =
      one.path == nullptr
          ? hosts_.local_receive_s + hosts_.local_receive_byte_s * static_cast<double>(one.message.bytes)
          : hosts_.receive_s + hosts_.receive_byte_s * one.wire + (one.eager ? 0.0 : hosts_.rendezvous_s);
  own.receives_until = now_ + one.message.taken * seconds;
  add(own.receives_until, number, Stage::taken);
  if (own.first != none) {
    add(own.receives_until, processor, Stage::looks);
  } else {
    own.is_waiting = false;
  }
}

bool Resources::next(ReplayedMessage& taken) {
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::greater{});
    const Event event = heap_.back();
    heap_.pop_back();
    now_ = event.at;
    switch (event.stage) {
      case Stage::enters:
        enter(event.number);
        break;
      case Stage::leaves:
        leave(event.number);
        break;
      case Stage::arrives:
        arrive(event.number);
        break;
      case Stage::looks:
        look(event.number);
        break;
      case Stage::taken:
        taken = messages_[event.number].message;
        free_.push_back(event.number);
        return true;
    }
  }
  return false;
}

}  // namespace trunkline
