// SPDX-License-Identifier: Apache-2.0
#include "model/openmpi_rules.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace trunkline {
namespace {

constexpr Rank any_ranks = std::numeric_limits<Rank>::max();
constexpr std::uint64_t any_length = std::numeric_limits<std::uint64_t>::max();

struct Rule {
  Rank ranks_below;
  std::uint64_t bytes_below;
  OpenMpiBcast runs;
};

using enum OpenMpiBcast;

/// The first rule that fits holds.
constexpr std::array rules{
    Rule{4, 32U << 10U, basic_linear},
    Rule{4, 128U << 10U, binary_tree},
    Rule{4, 256U << 10U, chain},
    Rule{4, 512U << 10U, basic_linear},
    Rule{4, 1U << 20U, binomial},
    Rule{4, any_length, binary_tree},
    Rule{8, 2U << 10U, binary_tree},
    Rule{8, 8U << 10U, binomial},
    Rule{8, 1U << 20U, basic_linear},
    Rule{8, any_length, chain},
    Rule{16, 4U << 10U, knomial},
    Rule{16, 16U << 10U, binary_tree},
    Rule{16, 32U << 10U, binomial},
    Rule{16, any_length, basic_linear},
    Rule{32, 4U << 10U, knomial},
    Rule{32, 1U << 20U, binomial},
    Rule{32, any_length, scatter_allgather},
    Rule{64, 2U << 10U, binomial},
    Rule{128, any_length, knomial},
    Rule{256, 16U << 10U, binary_tree},
    Rule{256, 32U << 10U, basic_linear},
    Rule{256, 64U << 10U, binary_tree},
    Rule{256, any_length, knomial},
    Rule{1024, 16U << 10U, knomial},
    Rule{1024, 32U << 10U, split_binary_tree},
    Rule{1024, any_length, knomial},
    Rule{2048, 512U << 10U, knomial},
    Rule{4096, 256U << 10U, knomial},
    Rule{any_ranks, 8U << 10U, knomial},
    Rule{any_ranks, 16U << 10U, binary_tree},
    Rule{any_ranks, 256U << 10U, knomial},
    Rule{any_ranks, any_length, scatter_allgather},
};

}  // namespace

OpenMpiBcast openmpi_bcast(Rank ranks, std::uint64_t message_bytes) {
  return std::ranges::find_if(
             rules, [&](const Rule& rule) { return ranks < rule.ranks_below && message_bytes < rule.bytes_below; })
      ->runs;
}

}  // namespace trunkline
