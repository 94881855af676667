// SPDX-License-Identifier: Apache-2.0
#include "transit.hpp"

#include <algorithm>

#include "network/link_taken.hpp"

namespace trunkline::fabric {

Transit::Transit(const Network& network, QueueLimits limits, std::uint64_t seed)
    : network_(network),
      limits_(limits),
      free_at_(network.port_count()),
      latest_(network.port_count()),
      counters_(network.channel_count()),
      fates_(network, seed),
      storm_control_(network),
      snooping_(network) {}

void Transit::enter(HostIndex from, HostIndex to, FrameId frame, Burden burden, Nanoseconds at) {
  if (frame >= frames_.size()) {
    frames_.resize(frame + 1);
  }
  frames_[frame] = {burden, from, to, 1};  // one use for this call: a frame dropped at once is finished at its end
  turn({.at = at, .complete = at, .order = order_++, .frame = frame, .node = network_.node_of(from)});
  release(frame);
}

void Transit::enter_multicast(HostIndex from, FrameId frame, Burden burden, Nanoseconds at, Multicast multicast) {
  snooping_.note(frame, std::move(multicast));
  enter(from, every_host, frame, burden, at);
}

void Transit::originate(NodeId node, FrameId frame, Burden burden, Nanoseconds at, Multicast multicast) {
  snooping_.note(frame, std::move(multicast));
  if (frame >= frames_.size()) {
    frames_.resize(frame + 1);
  }
  frames_[frame] = {burden, every_host, every_host, 1};
  turns_.push_back({.at = at, .complete = at, .order = order_++, .frame = frame, .node = node});
  std::push_heap(turns_.begin(), turns_.end(), Later{});
}

void Transit::advance(Nanoseconds until, std::vector<Delivery>& due) {
  while (next_turn() <= until) {
    std::pop_heap(turns_.begin(), turns_.end(), Later{});
    const Event event = turns_.back();
    turns_.pop_back();
    turn(event);
    release(event.frame);
  }
  while (next_delivery() <= until) {
    std::pop_heap(deliveries_.begin(), deliveries_.end(), Later{});
    const Event& event = deliveries_.back();
    due.push_back({event.at, network_.host_of(event.node), event.frame, event.damage});
    deliveries_.pop_back();
  }
}

void Transit::turn(const Event& event) {
  const HostIndex to = frames_[event.frame].to;
  if (to != every_host) {
    const ChannelId towards = network_.towards(event.node, to);
    if (towards != no_channel) {
      cross(event, towards);
    }
    return;
  }
  if (network_.controls(event.node)) [[unlikely]] {
    turn_controlled(event);
    return;
  }
  for (const ChannelId leaving : network_.leaving(event.node)) {
    if (leaving != (event.came_by ^ 1U)) {
      cross(event, leaving);
    }
  }
}

void Transit::turn_controlled(const Event& event) {
  const Frame& frame = frames_[event.frame];
  if (event.came_by != no_channel && !storm_control_.takes_in(event.came_by, frame.burden.frames, event.at)) {
    return;
  }
  if (network_.settings(event.node).igmp != Igmp::flood) {
    for (const ChannelId port : snooping_.route(event.node, event.came_by, frame.from, event.frame, event.at)) {
      cross(event, port);
    }
    return;
  }
  for (const ChannelId leaving : network_.leaving(event.node)) {
    if (leaving != (event.came_by ^ 1U)) {
      cross(event, leaving);
    }
  }
}

inline void Transit::arrive(Event& event) {
  ++frames_[event.frame].uses;
  if (network_.is_host(event.node)) {
    event.at = event.complete;
    deliveries_.push_back(event);
    std::push_heap(deliveries_.begin(), deliveries_.end(), Later{});
  } else {
    turns_.push_back(event);
    std::push_heap(turns_.begin(), turns_.end(), Later{});
  }
}

void Transit::cross(const Event& event, ChannelId id) {
  const Network::Channel& channel = network_.channel(id);
  const auto time_of = [&](std::uint64_t bytes) {
    return static_cast<Nanoseconds>(channel.ns_per_byte * static_cast<double>(bytes));
  };
  const Frame& frame = frames_[event.frame];
  ChannelCounters& counters = counters_[id];
  if (channel.down) [[unlikely]] {
    counters.down_lost += frame.burden.frames;
    return;
  }
  const std::size_t port = port_of(channel, event.frame);
  Nanoseconds& free_at = free_at_[port];
  const Nanoseconds start = std::max(event.at, free_at);
  const auto queued = static_cast<std::uint64_t>(static_cast<double>(start - event.at) / channel.ns_per_byte);
  const std::uint64_t of_switch = channel.queue_bytes > 0 ? channel.queue_bytes : limits_.switch_port_bytes;
  const std::uint64_t limit = channel.from_host ? limits_.host_bytes : of_switch;
  if (queued > 0 && queued + frame.burden.wire_bytes > limit) {
    counters.dropped_frames += frame.burden.frames;
    return;
  }
  counters.most_queued_bytes = std::max(counters.most_queued_bytes, queued);
  counters.frames += frame.burden.frames;
  counters.bytes += frame.burden.wire_bytes;

  const Nanoseconds first = time_of(frame.burden.first_bytes);
  free_at = start + time_of(frame.burden.wire_bytes);
  // The last real frame cannot leave before it has come in over a slower channel.
  const Nanoseconds last_byte = std::max(free_at, event.complete + first);
  Event next{start + first + channel.latency,
             last_byte + channel.latency,
             order_++,
             last_byte,
             event.frame,
             channel.to,
             id,
             event.damage,
             false};
  if (channel.impaired) [[unlikely]] {
    suffer(next, port);
  } else {
    arrive(next);
  }
}

std::size_t Transit::port_of(const Network::Channel& channel, FrameId frame) const {
  return channel.first_port + link_taken(frames_[frame].from, frames_[frame].to, channel.width);
}

void Transit::keep_order(Event& event, std::size_t port) {
  Latest& latest = latest_[port];
  latest.at = event.at = std::max(event.at, latest.at);
  latest.complete = event.complete = std::max(event.complete, latest.complete);
}

void Transit::suffer(Event event, std::size_t port) {
  constexpr double full_frames_bytes = 3 * 1538.0;
  constexpr double ns_per_second = 1e9;
  const ChannelId id = event.came_by;
  const Burden& burden = frames_[event.frame].burden;
  const double ns_per_byte = network_.channel(id).ns_per_byte;
  const Fate fate = fates_.next(id, burden.frames);
  if (fate.damage != 0 && event.damage == 0) event.damage = fate.damage;
  const auto jitter = static_cast<Nanoseconds>(fate.delay * network_.impairments(id).jitter_s * ns_per_second);
  event.at += jitter;
  event.complete += jitter;
  if (!fate.lost) {
    keep_order(event, port);
    Event arriving = event;
    if (fate.late) {
      const double hold_s = network_.impairments(id).reorder_by_s;
      const double hold_ns = hold_s > 0.0 ? hold_s * ns_per_second : full_frames_bytes * ns_per_byte;
      arriving.at += static_cast<Nanoseconds>(hold_ns);
      arriving.complete += static_cast<Nanoseconds>(hold_ns);
      arriving.held = true;
    }
    arrive(arriving);
  }
  if (fate.twice) {  // the copy takes its own time on the wire, right behind
    const auto again = static_cast<Nanoseconds>(ns_per_byte * static_cast<double>(burden.wire_bytes));
    free_at_[port] += again;
    counters_[id].frames += burden.frames;
    counters_[id].bytes += burden.wire_bytes;
    event.at += again;
    event.complete += again;
    event.left += again;
    keep_order(event, port);
    event.order = order_++;
    arrive(event);
  }
}

void Transit::reset_counters() {
  counters_.assign(counters_.size(), {});
  fates_.reset_counters();
  storm_control_.reset_counters();
  snooping_.reset_counters();
}

}  // namespace trunkline::fabric
