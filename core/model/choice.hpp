// SPDX-License-Identifier: Apache-2.0
// Which algorithm and which segment for a broadcast, from the cluster's stated rates alone: the rule used until
// tables measured on the user's own network exist.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/cluster.hpp"
#include "plan/tree.hpp"

namespace trunkline {

/// Whose native algorithms the prediction is compared with.
enum class NativeLibrary : std::uint8_t { mpich, openmpi };

struct Choice {
  std::string algorithm;  ///< "native" or a shape's name
  std::uint64_t segment_bytes = 0;
  double predicted_s = 0.0;         ///< of the plan's tree with segment_bytes, seconds
  double predicted_native_s = 0.0;  ///< of the library's own algorithm, seconds
  std::string reason;               ///< one line, for people
};

/// The facts of one communicator and root that the rule needs, taken once and kept.
struct LineFacts {
  std::uint32_t ranks = 0;
  std::uint32_t hosts = 0;            ///< hosts that hold at least one of the ranks
  std::uint32_t frames_in_flight = 0;  ///< channels the first frame crosses from first to last rank of the line
  double latency_s = 0.0;             ///< sum over those channels
  double slowest_bps = 0.0;           ///< smallest rate among them
  double trunk_bps = 0.0;             ///< smallest rate between two switches; 0: one switch
  double native_trunk_load = 1.0;     ///< senders on the busiest channel of the native algorithm's widest round
};

[[nodiscard]] LineFacts line_facts(const Cluster& cluster, const Placement& placement, const Tree& line);

/// Segment for a pipelined line; whole frames less room for the transport's headers.
[[nodiscard]] std::uint64_t default_segment(const LineFacts& facts, std::uint64_t message_bytes);

/// The same answer on every rank: depends on nothing but its arguments.
[[nodiscard]] Choice choose_bcast(const LineFacts& facts, std::uint64_t message_bytes, NativeLibrary native);

}  // namespace trunkline
