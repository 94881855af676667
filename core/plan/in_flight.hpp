// SPDX-License-Identifier: Apache-2.0
// How much of a message has to be under way for the links to be busy all the time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// Enough up to 1 Gbit/s below one switch; also where nothing is known of the network.
inline constexpr std::uint64_t least_in_flight_bytes = std::uint64_t{128} << 10;
/// Of a broadcast whose hops are all within hosts: ranks that are half of it apart wait for each other.
inline constexpr std::uint64_t within_host_bytes = std::uint64_t{512} << 10;
/// Enough where operands meet on their way up: of more, those of the leaves delay the others.
inline constexpr std::uint64_t least_up_in_flight_bytes = std::uint64_t{16} << 10;
/// What a link of 10 Gbit/s and 50 ms holds, one way.
inline constexpr std::uint64_t most_in_flight_bytes = std::uint64_t{64} << 20;
/// For operands from below, of one tree; twice the bytes under way, where that is more.
inline constexpr std::uint64_t usual_slot_bytes = std::uint64_t{1} << 20;
/// Of every child, where they fit: every fourth of them is sent synchronously, and two such are under way.
inline constexpr std::uint64_t least_slots = 8;

/// For one rank, where links are to be busy all the time.
struct InFlight {
  std::uint64_t bytes = least_in_flight_bytes;  ///< under way on a hop
  /// The same on a hop that is not far: where none is, or which are is not known, as much.
  std::uint64_t near_bytes = least_in_flight_bytes;
  /// The ranks that are far from this one, as its executor numbers ranks; ascending. The owner must outlive the use.
  std::span<const int> far{};
  /// Rate x delay of a hop, one way: what a link carries until the first of it is there. Much where it is not known.
  std::uint64_t delay_bytes = least_in_flight_bytes;
  double hops_for_each_lead = 0.0;  ///< of plan/lead.hpp, where operands go up
};

/// The most that any hop of the plan needs, rate x delay, and never less under way than the plan says. The delay is the
/// way there and back, with what both hosts spend on a message, twice: the window's own messages wait for an answer at
/// its half and at its end. Time O(ranks * length of a path).
[[nodiscard]] InFlight in_flight(const Paths& paths, const Placement& placement, const Steps& steps,
                                 Collective collective, const HostCosts& hosts);
[[nodiscard]] InFlight in_flight(const Paths& paths, const Placement& placement, const Plan& plan,
                                 Collective collective, const HostCosts& hosts);

/// Whether a hop is that of a long link: a window for it is far more than others need.
[[nodiscard]] bool is_far(const Paths& paths, HostIndex one, HostIndex other);

/// Ranks that the rank sends to or receives from over a far hop, each once, ascending. Time O(ranks) and the length of
/// its own paths.
[[nodiscard]] std::vector<Rank> far_peers(const Paths& paths, const Placement& placement, const Steps& steps,
                                          Rank rank);

/// Of the plan's hops that windows must last for, the longest one, one way, in seconds; 0: no window ends on it before
/// its first message was answered.
[[nodiscard]] double longest_hop_s(const Paths& paths, const Placement& placement, const Steps& steps);

/// Enough under way to keep the links busy over a round trip (`InFlight::bytes`). A broadcast takes twice that in
/// memory, or four segments where those are more; each of several trees by turns at least as many.
inline constexpr std::uint64_t least_window = 2;
inline constexpr std::uint64_t most_window = 32;      ///< where the least is under way
inline constexpr std::uint64_t widest_window = 2048;  ///< however much is: 32 MiB in messages of 16 KiB

/// Segments of that many bytes.
[[nodiscard]] constexpr std::uint64_t window_of(std::uint64_t segment_bytes, std::uint64_t in_flight_bytes) {
  const std::uint64_t most = in_flight_bytes > least_in_flight_bytes ? widest_window : most_window;
  return std::clamp(in_flight_bytes / segment_bytes, least_window, most);
}

/// The same of each of several trees that take segments by turns, where they go down.
[[nodiscard]] constexpr std::uint64_t down_window_of(std::uint64_t segment_bytes, std::uint64_t in_flight_bytes,
                                                     std::uint64_t trees) {
  return std::max(least_window, window_of(segment_bytes, in_flight_bytes) / trees);
}

/// Where operands go up one of several trees that take segments by turns: segments of each tree that are to be under
/// way to a rank from each of its children, for links to be busy.
[[nodiscard]] constexpr std::uint64_t up_segments_of(std::uint64_t segment_bytes, std::uint64_t in_flight_bytes,
                                                     std::uint64_t trees, std::uint64_t children) {
  return 2 * window_of(segment_bytes, in_flight_bytes) / trees / std::max(children, std::uint64_t{2});
}

/// Segments of each child that a rank has room for. `slot_bytes`: the memory of a segment; `slots`: of each segment.
[[nodiscard]] constexpr std::uint64_t up_window_of(std::uint64_t segment_bytes, std::uint64_t slot_bytes,
                                                   std::uint64_t in_flight_bytes, std::uint64_t trees,
                                                   std::uint64_t children, std::uint64_t slots) {
  const std::uint64_t room = std::max(usual_slot_bytes, 2 * in_flight_bytes);
  const std::uint64_t fitting = room / slot_bytes / std::max(slots, std::uint64_t{1});
  return std::clamp(fitting, std::uint64_t{1},
                    std::max(least_slots, up_segments_of(segment_bytes, in_flight_bytes, trees, children)));
}

/// Of them a child sends no more at once than keep links busy, in all trees together as many as of one tree: at the
/// start all ranks send, and what shares a link comes late altogether.
[[nodiscard]] constexpr std::uint64_t sent_up_at_once(std::uint64_t segment_bytes, std::uint64_t in_flight_bytes,
                                                      std::uint64_t trees, std::uint64_t children) {
  return std::max({least_slots / trees, least_window, up_segments_of(segment_bytes, in_flight_bytes, trees, children)});
}

}  // namespace trunkline
