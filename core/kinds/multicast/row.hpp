// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "plan/kind.hpp"

namespace trunkline {

/// Each datagram goes to all ranks at once: a root's, which are confirmed along a tree, or those of each rank in turn.
extern const PlanKind multicast_kind;

/// Reads `root` and the mapping `multicast`: `confirm`, for each rank those that report to it, or where all ranks send
/// `order` and `at_once`; and `pace`, the rate of the slowest link, which may be left out. A rank may be named by its
/// host where `host_of_rank` gives that host one rank. With every fault reported where it stands; empty where there is
/// any.
[[nodiscard]] std::optional<Plan> read_multicast(const YamlNode& plan, const PlanHead& head, Faults& faults);

}  // namespace trunkline
