// SPDX-License-Identifier: Apache-2.0
// How many packets are sent so that enough of them arrive: docs/multicast.md, "Blocks and parity".
#pragma once

#include <cstdint>

namespace trunkline::runtime {

/// Beside `wanted` packets, how many more so that of `ranks` no more than `lacking` get less than `wanted` on average,
/// where each loses that share of the packets, each packet by itself. None where none is lost; at most as many again
/// and 8: a rank that loses more is told what it lacks.
[[nodiscard]] constexpr std::uint32_t spare_packets(std::uint32_t wanted, double lost, int ranks, double lacking) {
  const std::uint32_t most = wanted + 8;
  if (lost <= 0.0 || wanted == 0) return 0;
  if (lost >= 1.0) return most;
  // Terms of the negative binomial distribution: `lost_before` packets get lost before the last of `wanted` arrives.
  double term = 1.0;
  for (std::uint32_t i = 0; i < wanted; ++i) term *= 1.0 - lost;
  double enough = term;
  std::uint32_t spare = 0;
  while (spare < most && ranks * (1.0 - enough) > lacking) {
    ++spare;
    term *= lost * (wanted + spare - 1) / spare;
    enough += term;
  }
  return spare;
}

/// Of an eager message: with it few ranks have to ask.
[[nodiscard]] constexpr std::uint32_t eager_spare_packets(std::uint32_t packets, double lost, int ranks) {
  constexpr double lacking = 0.1;
  return spare_packets(packets, lost, ranks, lacking);
}

/// Of a packet that nothing else repairs soon, how often it goes, where each time it gets lost with that chance: all
/// of them do with one of a hundredth at most. At most 4: who loses more waits for a timer.
[[nodiscard]] constexpr unsigned copies_against(double lost) {
  constexpr double all_lost = 0.01;
  constexpr unsigned most = 4;
  unsigned copies = 1;
  for (double each = lost; each > all_lost && copies < most; each *= lost) ++copies;
  return copies;
}

static_assert(copies_against(0.0) == 1 && copies_against(0.05) == 2 && copies_against(1.0) == 4);
static_assert(spare_packets(46, 0.0, 31, 0.1) == 0 && spare_packets(46, 0.01, 31, 0.1) == 3);

}  // namespace trunkline::runtime
