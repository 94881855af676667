// SPDX-License-Identifier: Apache-2.0
#include "transit.hpp"

#include <algorithm>

#include "network/link_taken.hpp"

namespace trunkline::fabric {

Transit::Transit(const Network& network, QueueLimits limits)
    : network_(network), limits_(limits), free_at_(network.port_count()), counters_(network.channel_count()) {}

void Transit::enter(HostIndex from, HostIndex to, FrameId frame, Burden burden, Nanoseconds at) {
  if (frame >= frames_.size()) {
    frames_.resize(frame + 1);
  }
  frames_[frame] = {burden, from, to, 1};  // one use for this call: a frame dropped at once is finished at its end
  turn({at, at, order_++, frame, network_.node_of(from), no_channel});
  release(frame);
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
    due.push_back({event.at, network_.host_of(event.node), event.frame});
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
  for (const ChannelId leaving : network_.leaving(event.node)) {
    if (leaving != (event.came_by ^ 1U)) {
      cross(event, leaving);
    }
  }
}

void Transit::cross(const Event& event, ChannelId id) {
  const Network::Channel& channel = network_.channel(id);
  const auto time_of = [&](std::uint64_t bytes) {
    return static_cast<Nanoseconds>(channel.ns_per_byte * static_cast<double>(bytes));
  };
  Frame& frame = frames_[event.frame];
  ChannelCounters& counters = counters_[id];
  Nanoseconds& free_at = free_at_[channel.first_port + link_taken(frame.from, frame.to, channel.width)];
  const Nanoseconds start = std::max(event.at, free_at);
  const auto queued = static_cast<std::uint64_t>(static_cast<double>(start - event.at) / channel.ns_per_byte);
  const std::uint64_t limit = channel.from_host ? limits_.host_bytes : limits_.switch_port_bytes;
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
  Event next{start + first + channel.latency, last_byte + channel.latency, order_++, event.frame, channel.to, id};
  ++frame.uses;
  if (network_.is_host(channel.to)) {
    next.at = next.complete;
    deliveries_.push_back(next);
    std::push_heap(deliveries_.begin(), deliveries_.end(), Later{});
  } else {
    turns_.push_back(next);
    std::push_heap(turns_.begin(), turns_.end(), Later{});
  }
}

void Transit::reset_counters() { counters_.assign(counters_.size(), {}); }

}  // namespace trunkline::fabric
