// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/tcp_stream.hpp"

#include <cstdint>

namespace trunkline {

std::optional<TcpStream> capped_stream(const Paths& paths, NodeId from, NodeId to) {
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

void add_slowest(std::vector<TcpStream>& streams, const TcpStream& stream) {
  if (std::ranges::any_of(streams, [&](const TcpStream& known) { return known.outlasts(stream); })) return;
  std::erase_if(streams, [&](const TcpStream& known) { return stream.outlasts(known); });
  streams.push_back(stream);
}

double held_seconds(std::span<const TcpStream> streams, double piece_bytes) {
  double most_s = 0.0;
  for (const TcpStream& stream : streams) most_s = std::max(most_s, stream.more_seconds(piece_bytes));
  return most_s;
}

}  // namespace trunkline
