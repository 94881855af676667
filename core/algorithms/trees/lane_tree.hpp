// SPDX-License-Identifier: Apache-2.0
// Trees for short messages where several ranks share hosts: all ranks of a host hand on, each to other hosts.
#pragma once

#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// A tree over hosts in which each hands on to up to `fan_out` others, of as few levels as that allows; hosts below one
/// stand in a row, depth first over the switches. The first rank of a host, which is its lowest or the root, gets the
/// message and hands it to the other ranks there at once; then rank i of its r ranks sends to the host's children i, i
/// + r, i + 2 r, ... So up to as many of them as it has ranks are sent to at the same time, where one rank alone would
/// spend the time of a message on each. logK(N) T(m) for N hosts with at least K ranks, where links take no time; K m
/// on a host's link. Throws std::invalid_argument where `root` is no rank of the placement, or `fan_out` is 0.
[[nodiscard]] Tree lane_tree(const Cluster& cluster, const Placement& placement, Rank root, unsigned fan_out);

}  // namespace trunkline
