// SPDX-License-Identifier: Apache-2.0
// Which algorithm and which segment for a broadcast, from the cluster's stated rates alone: the rule used until
// tables measured on the user's own network exist.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/cluster.hpp"
#include "model/native_bcast.hpp"
#include "plan/tree.hpp"

namespace trunkline {

struct Choice {
  std::string algorithm;            ///< "native" or "linear"
  std::uint64_t segment_bytes = 0;  ///< for the line, also where native was chosen
  double predicted_s = 0.0;         ///< of the line with segment_bytes, seconds
  double predicted_native_s = 0.0;  ///< of the library's own algorithm, seconds
  std::string reason;               ///< one line, for people
};

/// The facts of one communicator and root that the rule needs, taken once and kept.
struct LineFacts {
  Rank ranks = 0;
  Rank network_hops = 0;            ///< transfers of the line between different hosts
  std::uint32_t stored_frames = 0;  ///< frames stored by switches on the way from first to last rank
  double latency_s = 0.0;           ///< summed along the line
  double slowest_bps = 0.0;         ///< smallest rate along the line; 0: all ranks on one host
  NativeCosts native;
};

[[nodiscard]] LineFacts line_facts(const Cluster& cluster, const Placement& placement, const Tree& line);

/// Seconds of a line pipelined in segments of that many bytes (Patarasuk, Faraj, Yuan 2008, formula 1), with frames
/// stored by switches and acknowledgements that share the links. `facts.slowest_bps` must be positive.
[[nodiscard]] double line_seconds(const LineFacts& facts, std::uint64_t message_bytes, std::uint64_t segment_bytes);

/// Segment for a line, bytes: of parts of a frame and of whole frames, less room for the MPI library's header, the one
/// that line_seconds() finds fastest.
[[nodiscard]] std::uint64_t default_segment(const LineFacts& facts, std::uint64_t message_bytes);

/// Native, unless the line is predicted to be faster by a margin. The same answer on every rank: depends on nothing
/// but its arguments.
[[nodiscard]] Choice choose_bcast(const LineFacts& facts, std::uint64_t message_bytes, NativeLibrary native);

}  // namespace trunkline
