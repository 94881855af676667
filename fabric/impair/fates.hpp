// SPDX-License-Identifier: Apache-2.0
// What impaired links do to frames. The fate of a channel's n-th frame follows from the seed, the channel and n alone,
// so that what other channels carry changes nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "network.hpp"

namespace trunkline::fabric {

/// Which bytes of a frame are wrong, and how (damage.hpp); 0: none.
using Damage = std::uint32_t;

struct Fate {
  bool lost = false;
  bool twice = false;
  bool late = false;   ///< later ones overtake it
  double delay = 0.0;  ///< share of the channel's jitter, from 0 up to 1
  Damage damage = 0;
};

struct FateCounters {
  std::uint64_t lost = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t garbled = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
};

class Fates {
 public:
  Fates(const Network& network, std::uint64_t seed) : network_(network), seed_(seed), links_(network.channel_count()) {}

  /// Of the next frame on an impaired channel, which stands for so many real ones. One that is lost has no other fate.
  [[nodiscard]] Fate next(ChannelId id, std::uint32_t frames);

  /// Off: every frame passes unharmed, and fates wait for later frames.
  void switch_on(bool on) { on_ = on; }

  [[nodiscard]] const FateCounters& counters(ChannelId id) const { return links_[id].counters; }
  void reset_counters() {
    for (OfChannel& link : links_) link.counters = {};
  }

 private:
  struct OfChannel {
    std::uint64_t frames = 0;  ///< that have met their fate
    FateCounters counters;
  };

  const Network& network_;
  std::uint64_t seed_;
  bool on_ = true;
  std::vector<OfChannel> links_;
};

}  // namespace trunkline::fabric
