// SPDX-License-Identifier: Apache-2.0
// Numbers that tell networks apart.
#pragma once

#include <cstdint>

#include "network/cluster.hpp"

namespace trunkline {

/// 64-bit FNV-1a over a canonical text: every host in order with switch, rate, latency and width, then every link
/// between switches in order. The cluster's name and aliases are left out: they change no time.
[[nodiscard]] std::uint64_t network_fingerprint(const Cluster& cluster);

/// The same of what trees are laid over, without any time, rate or width: every host in order with its switch, then
/// every link between switches that the spanning tree uses, in order. A cluster that is faster or slower throughout has
/// the same, and so has one with more links side by side: a plan that is free of contention on one is so on all.
[[nodiscard]] std::uint64_t topology_fingerprint(const Cluster& cluster);

}  // namespace trunkline
