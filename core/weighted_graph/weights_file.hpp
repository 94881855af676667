// SPDX-License-Identifier: Apache-2.0
// Files of weights: a matrix of how long messages take from each host to each other one, and what sending costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weighted_graph/graph.hpp"

namespace trunkline {

/// Hosts of a file of weights: a matrix of more is written by no one.
inline constexpr std::size_t most_weighted_hosts = 1024;

/// What a file of weights says. Its hosts are numbered in the order of the file.
struct WeightedNetwork {
  std::string name{};
  std::vector<std::string> hosts{};
  std::vector<WideEdge> edges{};         ///< each with its injection
  std::optional<std::uint64_t> bytes{};  ///< of the messages whose times these are; empty: the file does not say
  bool grows = false;                    ///< whether times follow the size of a message, by rates

  /// As weigh() does.
  [[nodiscard]] StoredGraph weighed(std::uint64_t message_bytes) const;
};

/// `file` is for messages. Throws FaultyFile with all faults.
[[nodiscard]] WeightedNetwork parse_weights(std::string_view yaml, const std::string& file);

}  // namespace trunkline
