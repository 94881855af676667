// SPDX-License-Identifier: Apache-2.0
#include "impair/fates.hpp"

#include "impair/damage.hpp"
#include "impair/dice.hpp"

namespace trunkline::fabric {

namespace {

/// Throws of one frame's dice, one after another.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return state_ = mixed(state_); }
  double even() {
    constexpr double below_one = 0x1p-53;
    return static_cast<double>(next() >> 11U) * below_one;
  }
  bool hits(double share) { return even() < share; }

 private:
  std::uint64_t state_;
};

}  // namespace

Fate Fates::next(ChannelId id, std::uint32_t frames) {
  if (!on_) return {};
  OfChannel& channel = links_[id];
  const Impairments& impairments = network_.impairments(id);
  const std::uint64_t seed = mixed(seed_ ^ mixed(id)) ^ channel.frames++;
  Dice dice(seed);
  Fate fate;
  if (impairments.jitter_s > 0.0) fate.delay = Dice(~seed).even();
  fate.lost = dice.hits(impairments.loss);
  if (fate.lost) {
    channel.counters.lost += frames;
    return fate;
  }
  const bool corrupt = dice.hits(impairments.corrupt);
  const bool garble = dice.hits(impairments.garble);
  fate.twice = dice.hits(impairments.duplicate);
  fate.late = dice.hits(impairments.reorder);
  channel.counters.corrupted += corrupt ? frames : 0;
  channel.counters.garbled += garble && !corrupt ? frames : 0;
  channel.counters.duplicated += fate.twice ? frames : 0;
  channel.counters.reordered += fate.late ? frames : 0;
  if (corrupt || garble) fate.damage = corrupt ? corrupting(dice.next()) : garbling(dice.next());
  // Of a super-frame the receiver's kernel would check nothing; one of its real frames is as good as lost.
  if (corrupt && frames > 1) return {.lost = true};
  return fate;
}

}  // namespace trunkline::fabric
