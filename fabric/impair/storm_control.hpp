// SPDX-License-Identifier: Apache-2.0
// Broadcast and multicast frames that a switch's port takes in. As switches do it: counted for a second from the first
// frame on, and what is above the limit is dropped until that second is over.
#pragma once

#include <cstdint>
#include <vector>

#include "network.hpp"

namespace trunkline::fabric {

class StormControl {
 public:
  explicit StormControl(const Network& network) : network_(network), ports_(network.channel_count()) {}

  /// Whether the port at which the channel ends takes in so many frames.
  [[nodiscard]] bool takes_in(ChannelId id, std::uint32_t frames, Nanoseconds at) {
    constexpr Nanoseconds second = 1'000'000'000;
    const double limit = network_.settings(network_.channel(id).to).storm_control;
    if (limit == 0.0) return true;
    Port& port = ports_[id];
    if (port.frames == 0 || at >= port.since + second) {
      port.since = at;
      port.frames = 0;
    }
    if (static_cast<double>(port.frames) + frames > limit) {
      port.dropped += frames;
      return false;
    }
    port.frames += frames;
    return true;
  }

  [[nodiscard]] std::uint64_t dropped(ChannelId id) const { return ports_[id].dropped; }
  void reset_counters() {
    for (Port& port : ports_) port.dropped = 0;
  }

 private:
  struct Port {
    Nanoseconds since = 0;
    std::uint64_t frames = 0;
    std::uint64_t dropped = 0;
  };

  const Network& network_;
  std::vector<Port> ports_;  ///< by the channel that ends there
};

}  // namespace trunkline::fabric
