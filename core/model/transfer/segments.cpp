// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/segments.hpp"

#include <algorithm>

#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

constexpr std::uint64_t segment_of(std::uint64_t frames) { return frames * frame_payload_bytes - mpi_header_bytes; }

/// Candidates, bytes: parts of one frame, since every switch and host on the way stores whole frames before it hands
/// them on, and a short message waits for little else; then full frames. 11 frames are below 16 KiB, 45 below 64 KiB:
/// common eager limits. Longer ones double. None below a fifth of a frame: headers would outweigh the data.
constexpr std::array<std::uint64_t, segment_count> segment_candidates{
    segment_of(1) / 5, segment_of(1) / 4, segment_of(1) / 3, segment_of(1) / 2, segment_of(1) * 3 / 4, segment_of(1),
    segment_of(2),     segment_of(3),     segment_of(4),     segment_of(5),     segment_of(6),         segment_of(8),
    segment_of(10),    segment_of(11),    segment_of(22),    segment_of(45),    segment_of(90),        segment_of(181),
    segment_of(362),   segment_of(724),   segment_of(1448),  segment_of(2896)};

Cut::Piece piece_of(std::uint64_t bytes) {
  const auto wire = static_cast<double>(wire_bytes(bytes));
  return {.bytes = bytes, .wire = wire, .frame = std::min(wire, static_cast<double>(frame_wire_bytes))};
}

}  // namespace

std::span<const std::uint64_t> segment_sizes() { return segment_candidates; }

Cut cut_into(std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const std::uint64_t further = pieces_of(message_bytes, segment) - 1;
  return {.segment = piece_of(segment),
          .last = piece_of(message_bytes - further * segment),
          .further = static_cast<double>(further)};
}

Cuts cuts_of(std::uint64_t message_bytes) {
  Cuts cuts;
  std::ranges::transform(segment_candidates, cuts.begin(),
                         [&](std::uint64_t segment) { return cut_into(message_bytes, segment); });
  return cuts;
}

}  // namespace trunkline
