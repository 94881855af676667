// SPDX-License-Identifier: Apache-2.0
// What is measured on the lab itself, with plain sockets and no MPI.
#pragma once

#include <cstddef>
#include <vector>

#include "probe/hosts.hpp"

namespace trunkline::fabric::probe {

/// Half the round trips of `bytes` between two hosts, in seconds; one unmeasured round first.
[[nodiscard]] std::vector<double> ping_pong(const Lab& lab, HostIndex a, HostIndex b, std::size_t bytes,
                                            unsigned repetitions);

/// Seconds until `bytes`, cut into segments, have gone down the line of hosts, each passing a segment on once it has
/// all of it; one unmeasured round first.
[[nodiscard]] std::vector<double> relay(const Lab& lab, std::span<const HostIndex> line, std::size_t bytes,
                                        std::size_t segment, unsigned repetitions);

/// Messages that hosts handed on in some seconds.
struct Exchanged {
  double hops = 0.0;
  double seconds = 0.0;
};

/// Neighbours on the line, two and two, hand so many messages of `bytes` to and fro, all pairs at once: each hop is one
/// message sent and one received. A pair whose link is slow or long leaves the processors to the others.
[[nodiscard]] Exchanged all_at_work(const Lab& lab, std::span<const HostIndex> line, std::size_t bytes,
                                    unsigned messages, double seconds);

}  // namespace trunkline::fabric::probe
