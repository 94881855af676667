// SPDX-License-Identifier: Apache-2.0
// What was measured between pairs of hosts, for people and as a file.
#pragma once

#include <span>
#include <string>

#include "model/measured/measurement.hpp"
#include "pairs.hpp"

namespace trunkline::measure {

/// A line for each pair, to standard error.
void print_pairs(const Cluster& cluster, std::span<const PairFigures> figures);

/// JSON with what it takes to judge it: `of` says on what and when, `bytes` a message's length in streams.
[[nodiscard]] std::string pairs_json(const Cluster& cluster, const Measurement& of, std::uint64_t bytes,
                                     std::span<const PairFigures> figures);

}  // namespace trunkline::measure
