// SPDX-License-Identifier: Apache-2.0
// What TCP's windows do to messages on long ways: a stream has at most a window of bytes under way, and a round trip
// passes until they are acknowledged.
#pragma once

#include <algorithm>
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
[[nodiscard]] std::optional<TcpStream> capped_stream(const Paths& paths, NodeId from, NodeId to);

/// Adds it unless one that is there outlasts it, and takes those away that it outlasts.
void add_slowest(std::vector<TcpStream>& streams, const TcpStream& stream);

/// The most that any of them holds one piece of a message up.
[[nodiscard]] double held_seconds(std::span<const TcpStream> streams, double piece_bytes);

}  // namespace trunkline
