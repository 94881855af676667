// SPDX-License-Identifier: Apache-2.0
// When each frame arrives where: serialization, store and forward, queues, latency, copies along the tree. Pure: it
// knows no clock and no socket, so that what the network does can be tested on numbers.
//
// A frame is handled once at every node that it reaches, in the order of time, so a channel serves whoever is there
// first (FIFO) and a frame still waiting elsewhere holds nobody up. Cost: O(log pending) for each channel crossed.
#pragma once

#include <cstdint>
#include <vector>

#include "impair/fates.hpp"
#include "impair/snooping.hpp"
#include "impair/storm_control.hpp"
#include "network.hpp"

namespace trunkline::fabric {

using FrameId = std::uint32_t;  ///< whatever the caller keeps frames under; small numbers, used again

inline constexpr HostIndex every_host = 0xFFFFFFFFU;  ///< destination of broadcast and multicast frames

/// What one frame handed over by a host occupies on the wire. A super-frame of segmentation offload counts as the
/// real frames that a network card would make of it.
struct Burden {
  std::uint32_t wire_bytes = 0;   ///< all frames with their headers, preambles, check sequences and gaps
  std::uint32_t first_bytes = 0;  ///< the first frame alone: what a switch must have stored before it forwards
  std::uint32_t frames = 0;
};

struct QueueLimits {
  std::uint64_t switch_port_bytes = 512U << 10U;  ///< tail drop above, where the switch says nothing
  std::uint64_t host_bytes = 8U << 20U;           ///< a host's own queue: its sockets' buffers bound it first
};

struct ChannelCounters {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;  ///< on the wire
  std::uint64_t dropped_frames = 0;
  std::uint64_t most_queued_bytes = 0;  ///< waiting ahead of a frame that entered
  std::uint64_t down_lost = 0;          ///< frames that came while it was down, or were on it when it went down
};

struct Delivery {
  Nanoseconds due = 0;
  HostIndex host = 0;
  FrameId frame = 0;
  Damage damage = 0;
};

class Transit {
 public:
  /// `seed` decides what happens to which frame on impaired links.
  Transit(const Network& network, QueueLimits limits, std::uint64_t seed = 1);

  /// A host hands over a frame at a time that may lie before that of earlier calls. The id is in use until it is
  /// among finished().
  void enter(HostIndex from, HostIndex to, FrameId frame, Burden burden, Nanoseconds at);

  /// The same for a frame to every host where switches read what it is (Network::snoops).
  void enter_multicast(HostIndex from, FrameId frame, Burden burden, Nanoseconds at, Multicast multicast);

  /// A switch sends a frame of its own to every host.
  void originate(NodeId node, FrameId frame, Burden burden, Nanoseconds at, Multicast multicast);

  /// Carries everything forward to `until`; appends what is complete at its host by then, in the order of time.
  void advance(Nanoseconds until, std::vector<Delivery>& due);

  /// Tells that the network's channel is another than `before` from `now` on, up to which advance() has been called.
  /// What waits to be sent goes on at the new rate. What has left keeps its time: a frame in the queue, too, has the
  /// latency that it met when it came, as under netem. Where the channel is down all of it is lost. Cost: O(pending).
  void change(ChannelId id, const Network::Channel& before, Nanoseconds now);

  /// Says that a delivery handed out by advance() has been made.
  void delivered(FrameId frame) { release(frame); }

  /// Frames of which no copy is under way any more, each once; the caller empties the list and may use the ids again.
  [[nodiscard]] std::vector<FrameId>& finished() { return finished_; }

  static constexpr Nanoseconds never = ~Nanoseconds{0};

  /// Earliest delivery known so far; never where none is.
  [[nodiscard]] Nanoseconds next_delivery() const { return deliveries_.empty() ? never : deliveries_.front().at; }

  /// Earliest turn at a switch still to be taken; never where none is.
  [[nodiscard]] Nanoseconds next_turn() const { return turns_.empty() ? never : turns_.front().at; }

  [[nodiscard]] const std::vector<ChannelCounters>& counters() const { return counters_; }
  [[nodiscard]] Snooping& snooping() { return snooping_; }
  [[nodiscard]] const Snooping& snooping() const { return snooping_; }
  [[nodiscard]] const StormControl& storm_control() const { return storm_control_; }
  [[nodiscard]] const FateCounters& fates(ChannelId id) const { return fates_.counters(id); }
  void reset_counters();

  /// Whether impaired links do anything.
  void impair(bool on) { fates_.switch_on(on); }

 private:
  /// A frame at a node: its first real frame stored there at `at`, its last byte there at `complete`.
  struct Event {
    Nanoseconds at = 0;
    Nanoseconds complete = 0;
    std::uint64_t order = 0;  ///< of entering, so that equal times keep it
    Nanoseconds left = 0;     ///< its last byte left the port that it came by
    FrameId frame = 0;
    NodeId node = 0;
    ChannelId came_by = no_channel;
    Damage damage = 0;
    bool held = false;  ///< back, for others to overtake
  };
  /// The latest times of what a port has sent, behind which what is sent later stays.
  struct Latest {
    Nanoseconds at = 0;
    Nanoseconds complete = 0;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };
  struct Frame {
    Burden burden;
    HostIndex from = 0;
    HostIndex to = 0;
    std::uint32_t uses = 0;
  };

  void release(FrameId frame) {
    if (--frames_[frame].uses == 0) {
      finished_.push_back(frame);
    }
  }
  void turn(const Event& event);
  void turn_controlled(const Event& event);
  void cross(const Event& event, ChannelId id);
  void arrive(Event& event);
  void suffer(Event event, std::size_t port);
  void keep_order(Event& event, std::size_t port);
  void lose(ChannelId id);
  void stretch(ChannelId id, double by, Nanoseconds now);
  [[nodiscard]] std::size_t port_of(const Network::Channel& channel, FrameId frame) const;

  const Network& network_;
  QueueLimits limits_;
  std::vector<Frame> frames_;
  std::vector<Nanoseconds> free_at_;  ///< by port: when what it has accepted so far is on the wire
  std::vector<Latest> latest_;        ///< by port, where channels are impaired
  std::vector<ChannelCounters> counters_;
  Fates fates_;
  StormControl storm_control_;
  Snooping snooping_;
  std::vector<FrameId> finished_;
  std::vector<Event> turns_;       ///< heap, earliest first
  std::vector<Event> deliveries_;  ///< heap, earliest first; `at` is when the last byte is there
  std::uint64_t order_ = 0;
};

}  // namespace trunkline::fabric
