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

}  // namespace trunkline::fabric::probe
