// SPDX-License-Identifier: Apache-2.0
#include "model/choice.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "model/wire.hpp"

namespace trunkline {
namespace {

/// A rank takes a segment from its socket and hands it on: assumed until measured.
constexpr double segment_software_s = 25e-6;
/// The line must be predicted this much faster than native to be chosen: what the prediction may be off by.
constexpr double margin = 1.15;

constexpr std::uint64_t segment_of(std::uint64_t frames) { return frames * frame_payload_bytes - mpi_header_bytes; }

/// Candidates, bytes: parts of one frame, since every switch and host on the way stores whole frames before it hands
/// them on, and a short message waits for little else; then full frames. None above 11 frames: 16 KiB is below every
/// common eager limit. None below a fifth of a frame: headers would outweigh the data.
constexpr std::array<std::uint64_t, 14> segment_candidates{
    segment_of(1) / 5, segment_of(1) / 4, segment_of(1) / 3, segment_of(1) / 2, segment_of(1) * 3 / 4,
    segment_of(1),     segment_of(2),     segment_of(3),     segment_of(4),     segment_of(5),
    segment_of(6),     segment_of(8),     segment_of(10),    segment_of(11)};

}  // namespace

LineFacts line_facts(const Cluster& cluster, const Placement& placement, const Tree& line) {
  LineFacts facts;
  facts.ranks = static_cast<Rank>(placement.size());
  for (Rank rank = 0; rank < facts.ranks; ++rank) {
    const Rank from = line.parent[rank];
    if (from == no_rank || placement[from] == placement[rank]) continue;
    const auto path = cluster.path(cluster.hosts()[placement[from]], cluster.hosts()[placement[rank]]);
    ++facts.network_hops;
    facts.stored_frames += static_cast<std::uint32_t>(path.size()) - 1;
    for (const ChannelId channel : path) {
      const Link& link = cluster.link_of(channel);
      facts.latency_s += link.latency_s;
      facts.slowest_bps = facts.slowest_bps > 0.0 ? std::min(facts.slowest_bps, link.rate_bps) : link.rate_bps;
    }
  }
  facts.native = native_costs(cluster, placement, line.root);
  return facts;
}

double line_seconds(const LineFacts& facts, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  const std::uint64_t segment = std::min(segment_bytes, message_bytes);
  const auto segments = static_cast<double>((message_bytes + segment - 1) / segment);
  const double seconds_per_wire_byte = 8.0 / facts.slowest_bps;
  const double segment_s = static_cast<double>(wire_bytes(segment)) * seconds_per_wire_byte;
  const double frame_s = static_cast<double>(std::min(wire_bytes(segment), frame_wire_bytes)) * seconds_per_wire_byte;
  // One acknowledgement a segment shares the channel with the segments sent on.
  const double ack_s = static_cast<double>(ack_wire_bytes) * seconds_per_wire_byte;
  const double first =
      facts.network_hops * (segment_s + segment_software_s) + facts.stored_frames * frame_s + facts.latency_s;
  return first + (segments - 1.0) * std::max(segment_s + ack_s, segment_software_s);
}

std::uint64_t default_segment(const LineFacts& facts, std::uint64_t message_bytes) {
  if (facts.slowest_bps <= 0.0) return segment_candidates.back();
  return *std::ranges::min_element(segment_candidates, {},
                                   [&](std::uint64_t segment) { return line_seconds(facts, message_bytes, segment); });
}

Choice choose_bcast(const LineFacts& facts, std::uint64_t message_bytes, NativeLibrary native) {
  Choice choice{.algorithm = "native", .segment_bytes = default_segment(facts, message_bytes), .reason = {}};
  if (facts.slowest_bps <= 0.0) {
    choice.reason = "all ranks on one host";
    return choice;
  }
  choice.predicted_s = line_seconds(facts, message_bytes, choice.segment_bytes);
  choice.predicted_native_s = native_bcast_seconds(facts.native, message_bytes, native);
  const bool line = choice.predicted_s * margin < choice.predicted_native_s;
  if (line) choice.algorithm = "linear";
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "line predicted at %.4g ms, native at %.4g ms%s", choice.predicted_s * 1e3,
                choice.predicted_native_s * 1e3, line ? "" : ": the line is not faster by 15 %");
  choice.reason = text.data();
  return choice;
}

}  // namespace trunkline
