// SPDX-License-Identifier: Apache-2.0
// What an emulated network does to frames besides carrying them. Of all this plans go by the queues of switches alone.
#pragma once

#include <cstdint>

namespace trunkline {

/// Of one link, for each frame and each direction by itself. Shares go from 0 to 1.
struct Impairments {
  double loss = 0.0;          ///< takes its time on the wire and does not arrive
  double corrupt = 0.0;       ///< a bit is flipped, which the receiver's checksums find
  double garble = 0.0;        ///< bytes are changed so that every checksum still holds
  double duplicate = 0.0;     ///< is sent twice
  double reorder = 0.0;       ///< is held back, so that later ones overtake it
  double reorder_by_s = 0.0;  ///< for how long; 0: as long as three full frames take on the link
  double jitter_s = 0.0;      ///< most by which a frame is later, drawn evenly; frames stay in their order

  [[nodiscard]] bool any() const { return loss + corrupt + garble + duplicate + reorder + jitter_s > 0.0; }
  bool operator==(const Impairments&) const = default;
};

/// What a switch does with multicast frames.
enum class Igmp : std::uint8_t {
  flood,     ///< sends them to every port
  snooping,  ///< sends a group's to the ports where a host has joined it
  querier    ///< the same, and asks hosts to say again what they joined
};

struct SwitchSettings {
  Igmp igmp = Igmp::flood;
  double igmp_ages_s = 260.0;     ///< a membership that is not renewed ends after this time (RFC 3376, 8.4)
  double storm_control = 0.0;     ///< broadcast and multicast frames a second that a port takes in; 0: any number
  std::uint64_t queue_bytes = 0;  ///< that wait at a port before it drops more; 0: it is not said

  bool operator==(const SwitchSettings&) const = default;
};

/// What several links that count as one do on average, where flows spread evenly over them.
[[nodiscard]] inline Impairments mean(const Impairments& a, double weight_a, const Impairments& b, double weight_b) {
  const auto of = [&](double x, double y) {
    return x == y ? x : (x * weight_a + y * weight_b) / (weight_a + weight_b);
  };
  return {.loss = of(a.loss, b.loss),
          .corrupt = of(a.corrupt, b.corrupt),
          .garble = of(a.garble, b.garble),
          .duplicate = of(a.duplicate, b.duplicate),
          .reorder = of(a.reorder, b.reorder),
          .reorder_by_s = of(a.reorder_by_s, b.reorder_by_s),
          .jitter_s = of(a.jitter_s, b.jitter_s)};
}

}  // namespace trunkline
