// SPDX-License-Identifier: Apache-2.0
// The segments that are considered, and a message cut into them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace trunkline {

/// Bytes, ascending: parts of a frame and whole frames up to 4 MiB, less room for the
/// MPI library's header.
[[nodiscard]] std::span<const std::uint64_t> segment_sizes();

/// A message in segments of one size: what does not depend on the tree.
struct Cut {
  struct Piece {
    std::uint64_t bytes = 0;
    double wire = 0.0;   ///< bytes on the wire
    double frame = 0.0;  ///< of its first frame
  };
  Piece segment;
  Piece last;            ///< the rest of the message, in the last segment
  double further = 0.0;  ///< segments after the first one
};

inline constexpr std::size_t segment_count = 22;
using Cuts = std::array<Cut, segment_count>;  ///< one for each of segment_sizes()

/// A message in segments of that size, both above zero.
[[nodiscard]] Cut cut_into(std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// A message, not empty, in segments of all sizes considered: taken once for all plans.
[[nodiscard]] Cuts cuts_of(std::uint64_t message_bytes);

struct TimedSegment {
  std::uint64_t segment_bytes;
  double seconds;
};

/// Of all segment sizes that cut a message differently, the one in which it takes least; `seconds` tells of each.
template <class Seconds>
[[nodiscard]] TimedSegment fastest_cut(std::uint64_t message_bytes, Seconds seconds) {
  TimedSegment fastest{.segment_bytes = segment_sizes().front(), .seconds = 0.0};
  for (const std::uint64_t segment : segment_sizes()) {
    const double took = seconds(segment);
    if (segment == segment_sizes().front() || took < fastest.seconds) fastest = {segment, took};
    if (segment >= message_bytes) break;  // longer ones cut it no otherwise
  }
  return fastest;
}

}  // namespace trunkline
