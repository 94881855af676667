// SPDX-License-Identifier: Apache-2.0
// The same network with other numbers.
#pragma once

#include <optional>
#include <span>

#include "network/cluster.hpp"

namespace trunkline {

/// The cluster with these rates, one of each channel, latencies, one of each link or of each channel, and injection
/// times, one of each host; without them, hosts keep theirs. A latency of a link is the mean of both directions; what
/// differs between them stays. Of links that equal-cost paths make one, each gets its numbers.
/// What the cluster says of impairments stays, too; tables that it names are about other numbers, and go. Throws
/// std::invalid_argument where a count is wrong, a rate is not above zero, a time is negative, a number is not finite,
/// or other switches than before would be alike, and so be one.
[[nodiscard]] Cluster with_speeds(const Cluster& cluster, std::span<const double> rates_bps,
                                  std::span<const double> latencies_s,
                                  std::optional<std::span<const double>> injections_s = {});

/// The cluster with its fastest link at `fastest_bps` bits per second and every other in proportion; latencies stay.
/// Throws std::invalid_argument where the rate is not positive.
[[nodiscard]] Cluster scaled(const Cluster& cluster, double fastest_bps);

}  // namespace trunkline
