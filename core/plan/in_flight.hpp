// SPDX-License-Identifier: Apache-2.0
// How much of a message has to be under way for the links to be busy all the time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/transfer/host_costs.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"
#include "plan/plan.hpp"

namespace trunkline {

/// Enough up to 1 Gbit/s below one switch; also where nothing is known of the network.
inline constexpr std::uint64_t least_in_flight_bytes = std::uint64_t{128} << 10;
/// Enough where operands meet on their way up: of more, those of the leaves delay the others.
inline constexpr std::uint64_t least_up_in_flight_bytes = std::uint64_t{16} << 10;
/// So much at most lies in buffers of a rank that is late.
inline constexpr std::uint64_t most_in_flight_bytes = std::uint64_t{4} << 20;

/// For one rank, where links are to be busy all the time.
struct InFlight {
  std::uint64_t bytes = least_in_flight_bytes;  ///< under way on a hop
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

/// Of the plan's hops that windows must last for, the longest one, one way, in seconds; 0: no window ends on it before
/// its first message was answered.
[[nodiscard]] double longest_hop_s(const Paths& paths, const Placement& placement, const Steps& steps);

/// Enough under way to keep the links busy over a round trip (`InFlight::bytes`). A broadcast takes twice that in
/// memory, or four segments where those are more; each of several trees by turns at least as many.
inline constexpr std::uint64_t least_window = 2;
inline constexpr std::uint64_t most_window = 32;     ///< where the least is under way
inline constexpr std::uint64_t widest_window = 128;  ///< however much is

/// Segments of that many bytes.
[[nodiscard]] constexpr std::uint64_t window_of(std::uint64_t segment_bytes, std::uint64_t in_flight_bytes) {
  const std::uint64_t most = in_flight_bytes > least_in_flight_bytes ? widest_window : most_window;
  return std::clamp(in_flight_bytes / segment_bytes, least_window, most);
}

}  // namespace trunkline
