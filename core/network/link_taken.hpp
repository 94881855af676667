// SPDX-License-Identifier: Apache-2.0
// Which of several links side by side carries the messages between two hosts.
#pragma once

#include <cstdint>

#include "network/cluster.hpp"

namespace trunkline {

/// The number, from 0, of the link that a hash of the two hosts picks among `width`; above zero. Every switch on the
/// way picks by the same hash, as switches with one setting do: in a bundle of equal-cost paths whoever leaves a leaf
/// for the second spine comes back from the second spine. The bits are mixed as in Steele, Lea, Flood (2014).
[[nodiscard]] constexpr std::uint32_t link_taken(HostIndex from, HostIndex to, std::uint32_t width) {
  std::uint64_t bits = (std::uint64_t{from} << 32U | to) + 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>((bits ^ (bits >> 31U)) % width);
}

}  // namespace trunkline
