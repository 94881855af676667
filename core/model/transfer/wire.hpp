// SPDX-License-Identifier: Apache-2.0
// What Ethernet and TCP make of a message: the constants behind every time predicted from rates alone.
#pragma once

#include <cstdint>

namespace trunkline {

inline constexpr std::uint64_t frame_payload_bytes = 1448;  ///< TCP data in a full frame at an MTU of 1500
inline constexpr std::uint64_t frame_wire_bytes = 1538;     ///< the same frame on the wire: preamble, headers, FCS, gap
inline constexpr std::uint64_t frame_overhead_bytes = frame_wire_bytes - frame_payload_bytes;
inline constexpr std::uint64_t ack_wire_bytes = 90;  ///< an acknowledgement with time stamps, on the wire
/// Room that a segment leaves in its last frame for the MPI library's own header. On TCP: MPICH 4.0 (UCX) 13 bytes, 29
/// for a synchronous send; Open MPI 22 and 40; MPICH 5.0 (libfabric) 32.
inline constexpr std::uint64_t mpi_header_bytes = 40;

/// How many pieces of at most `piece` bytes make up `bytes`.
[[nodiscard]] constexpr std::uint64_t pieces_of(std::uint64_t bytes, std::uint64_t piece) {
  return (bytes + piece - 1) / piece;
}

/// Frames that carry `bytes` of a message with its MPI header.
[[nodiscard]] constexpr std::uint64_t frames_of(std::uint64_t bytes) {
  return pieces_of(bytes + mpi_header_bytes, frame_payload_bytes);
}

/// Bytes on the wire of one message.
[[nodiscard]] constexpr std::uint64_t wire_bytes(std::uint64_t bytes) {
  return bytes + mpi_header_bytes + frames_of(bytes) * frame_overhead_bytes;
}

/// Bytes on the wire below which none carry `bytes`, in however many messages: all frames are full of them.
[[nodiscard]] constexpr double least_wire_bytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) * static_cast<double>(frame_wire_bytes) / static_cast<double>(frame_payload_bytes);
}

}  // namespace trunkline
