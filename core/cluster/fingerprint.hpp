// SPDX-License-Identifier: Apache-2.0
// One number that tells networks apart.
#pragma once

#include <cstdint>

#include "cluster/cluster.hpp"

namespace trunkline {

/// 64-bit FNV-1a over a canonical text: every host in order with injection time, switch, rate and latency, then every
/// link between switches in order. Neither the cluster's name nor aliases change what plans are laid over.
[[nodiscard]] std::uint64_t network_fingerprint(const Cluster& cluster);

}  // namespace trunkline
