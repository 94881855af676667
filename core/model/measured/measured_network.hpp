// SPDX-License-Identifier: Apache-2.0
// The network as it was measured, in place of what its file states: all predictions and decisions then follow from it.
#pragma once

#include <string>
#include <vector>

#include "model/measured/measurement.hpp"
#include "model/transfer/host_costs.hpp"
#include "network/cluster.hpp"

namespace trunkline {

struct MeasuredNetwork {
  Cluster cluster;  ///< the same hosts, switches and links, with the rates and latencies that were measured
  HostCosts hosts;
  std::vector<std::string> contradictions;  ///< where a measured rate is not the stated one: one line each, for people
};

/// What datagrams were measured to cost hosts, as straight lines through the sizes; what `hosts` say where none were.
[[nodiscard]] HostCosts with_datagrams(HostCosts hosts, const Measurement& measured);

/// What the library was measured to take for each byte that it adds to one's own, as a straight line through the sizes;
/// what `hosts` say where it was not.
[[nodiscard]] HostCosts with_combining(HostCosts hosts, const Measurement& measured);

/// Takes os(m) and or(m) from the nearest hosts, as straight lines through the sizes below the eager limit; the rate of
/// a path from the size with the most bytes a second, where not the hosts were the limit; latencies from what a round
/// trip leaves. What two of the measured hosts say holds for all links of their kind: those of hosts, and trunks of the
/// same stated rate. `defaults` say what tables do not: a rendezvous, copies within a host, datagrams and combining
/// where none were measured. Throws std::invalid_argument where no two hosts were measured, or one of them is not in
/// the cluster.
[[nodiscard]] MeasuredNetwork measured_network(const Cluster& stated, const Measurement& measured,
                                               const HostCosts& defaults);

}  // namespace trunkline
