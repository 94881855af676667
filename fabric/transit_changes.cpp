// SPDX-License-Identifier: Apache-2.0
// What becomes of frames under way where their link changes.
#include <algorithm>
#include <vector>

#include "transit.hpp"

namespace trunkline::fabric {

void Transit::change(ChannelId id, const Network::Channel& before, Nanoseconds now) {
  const Network::Channel& channel = network_.channel(id);
  if (channel.down) {
    lose(id);
    for (std::size_t port = channel.first_port; port < channel.first_port + channel.width; ++port) {
      free_at_[port] = std::min(free_at_[port], now);
      latest_[port] = {};
    }
    return;
  }
  stretch(id, channel.ns_per_byte / before.ns_per_byte, now);
}

void Transit::lose(ChannelId id) {
  for (std::vector<Event>* pending : {&turns_, &deliveries_}) {
    const auto lost =
        std::partition(pending->begin(), pending->end(), [&](const Event& event) { return event.came_by != id; });
    std::for_each(lost, pending->end(), [&](const Event& event) {
      counters_[id].down_lost += frames_[event.frame].burden.frames;
      release(event.frame);
    });
    pending->erase(lost, pending->end());
    std::ranges::make_heap(*pending, Later{});
  }
}

void Transit::stretch(ChannelId id, double by, Nanoseconds now) {
  const Network::Channel& channel = network_.channel(id);
  // A port with a queue is never idle, so all that is still to leave it leaves so much later.
  const auto moved = [&](Nanoseconds time) {
    constexpr double never_ns = 1e17;
    return time > now ? now + static_cast<Nanoseconds>(std::min(static_cast<double>(time - now) * by, never_ns)) : time;
  };
  for (std::size_t port = channel.first_port; port < channel.first_port + channel.width; ++port) {
    free_at_[port] = moved(free_at_[port]);
    latest_[port] = {};
  }
  std::vector<Event*> under_way;
  for (std::vector<Event>* pending : {&turns_, &deliveries_}) {
    for (Event& event : *pending) {
      if (event.came_by == id) under_way.push_back(&event);
    }
  }
  std::ranges::sort(under_way, {}, [](const Event* event) { return event->order; });
  for (Event* event : under_way) {
    const Nanoseconds after = event->complete - event->left;  // its latency, and what it was delayed by
    const Nanoseconds rest = event->complete - event->at;     // from its first stored frame to its last byte
    const bool waits = event->left > now + rest;
    event->left = moved(event->left);
    event->complete = event->left + after;
    if (waits) event->at = event->complete - static_cast<Nanoseconds>(static_cast<double>(rest) * by);
    event->at = std::min(event->at, event->complete);
    if (!event->held) keep_order(*event, port_of(channel, event->frame));
  }
  for (std::vector<Event>* pending : {&turns_, &deliveries_}) std::ranges::make_heap(*pending, Later{});
}

}  // namespace trunkline::fabric
