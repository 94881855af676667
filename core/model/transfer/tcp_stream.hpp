// SPDX-License-Identifier: Apache-2.0
// What TCP's windows do to messages on long ways: a stream has at most a window of bytes under way, and a round trip
// passes until they are acknowledged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/paths.hpp"

namespace trunkline {

/// From one rank to another, where a window holds less than the way between them does.
struct TcpStream {
  double share = 1.0;         ///< of the message that it carries
  double window_bytes = 0.0;  ///< the smaller one of both hosts'
  double byte_s = 0.0;        ///< of each byte beyond the first window: a round trip over the window
  double link_byte_s = 0.0;   ///< what the slowest link takes of each: less

  /// Seconds from the first to the last of `bytes` bytes that leave, all that the stream carries.
  [[nodiscard]] double seconds(double bytes) const { return std::max(0.0, bytes - window_bytes) * byte_s; }
  /// The same beside what the slowest link takes of them.
  [[nodiscard]] double more_seconds(double bytes) const {
    return std::max(0.0, bytes - window_bytes) * (byte_s - link_byte_s);
  }
  /// Whether it is never faster than the other one, whatever the message.
  [[nodiscard]] bool outlasts(const TcpStream& other) const {
    return share >= other.share && window_bytes <= other.window_bytes && byte_s >= other.byte_s &&
           byte_s - link_byte_s >= other.byte_s - other.link_byte_s;
  }
};

/// That of all of a message between two hosts; empty where links are the limit, or both hosts' windows are not stated.
[[nodiscard]] inline std::optional<TcpStream> capped_stream(const Paths& paths, NodeId from, NodeId to) {
  if (!paths.any_tcp_window() || from == to) return std::nullopt;
  const Cluster& cluster = paths.cluster();
  const std::uint64_t sends = cluster.nodes()[from].tcp_window_bytes;
  const std::uint64_t receives = cluster.nodes()[to].tcp_window_bytes;
  if (sends == 0 && receives == 0) return std::nullopt;
  const NodeId meeting = paths.meeting(from, to);
  TcpStream stream;
  stream.window_bytes =
      static_cast<double>(sends == 0 || receives == 0 ? std::max(sends, receives) : std::min(sends, receives));
  stream.link_byte_s = paths.slowest_byte_s(from, to, meeting);
  stream.byte_s = 2.0 * paths.mean_latency_s(from, to, meeting) / stream.window_bytes;
  if (stream.byte_s <= stream.link_byte_s) return std::nullopt;
  return stream;
}

/// Adds it unless one that is there outlasts it, and takes those away that it outlasts.
inline void add_slowest(std::vector<TcpStream>& streams, const TcpStream& stream) {
  if (std::ranges::any_of(streams, [&](const TcpStream& known) { return known.outlasts(stream); })) return;
  std::erase_if(streams, [&](const TcpStream& known) { return stream.outlasts(known); });
  streams.push_back(stream);
}

/// The most that any of them holds one piece of a message up.
[[nodiscard]] inline double held_seconds(std::span<const TcpStream> streams, double piece_bytes) {
  double most_s = 0.0;
  for (const TcpStream& stream : streams) most_s = std::max(most_s, stream.more_seconds(piece_bytes));
  return most_s;
}

}  // namespace trunkline
