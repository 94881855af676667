// SPDX-License-Identifier: Apache-2.0
#include "model/openmpi_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace trunkline {
namespace {

constexpr Rank any_ranks = std::numeric_limits<Rank>::max();
constexpr std::uint64_t any_length = std::numeric_limits<std::uint64_t>::max();

template <class Algorithm>
struct OpenMpiRule {
  Rank ranks_below;
  std::uint64_t bytes_below;
  Algorithm runs;
};

/// The first rule that fits holds.
template <class Algorithm, std::size_t count>
Algorithm first_that_fits(const std::array<OpenMpiRule<Algorithm>, count>& rules, Rank ranks,
                          std::uint64_t message_bytes) {
  return std::ranges::find_if(rules,
                              [&](const OpenMpiRule<Algorithm>& rule) {
                                return ranks < rule.ranks_below && message_bytes < rule.bytes_below;
                              })
      ->runs;
}

using enum OpenMpiBcast;

constexpr std::array bcast_rules{
    OpenMpiRule{4, 32U << 10U, basic_linear},
    OpenMpiRule{4, 128U << 10U, binary_tree},
    OpenMpiRule{4, 256U << 10U, chain},
    OpenMpiRule{4, 512U << 10U, basic_linear},
    OpenMpiRule{4, 1U << 20U, binomial},
    OpenMpiRule{4, any_length, binary_tree},
    OpenMpiRule{8, 2U << 10U, binary_tree},
    OpenMpiRule{8, 8U << 10U, binomial},
    OpenMpiRule{8, 1U << 20U, basic_linear},
    OpenMpiRule{8, any_length, chain},
    OpenMpiRule{16, 4U << 10U, knomial},
    OpenMpiRule{16, 16U << 10U, binary_tree},
    OpenMpiRule{16, 32U << 10U, binomial},
    OpenMpiRule{16, any_length, basic_linear},
    OpenMpiRule{32, 4U << 10U, knomial},
    OpenMpiRule{32, 1U << 20U, binomial},
    OpenMpiRule{32, any_length, scatter_allgather},
    OpenMpiRule{64, 2U << 10U, binomial},
    OpenMpiRule{128, any_length, knomial},
    OpenMpiRule{256, 16U << 10U, binary_tree},
    OpenMpiRule{256, 32U << 10U, basic_linear},
    OpenMpiRule{256, 64U << 10U, binary_tree},
    OpenMpiRule{256, any_length, knomial},
    OpenMpiRule{1024, 16U << 10U, knomial},
    OpenMpiRule{1024, 32U << 10U, split_binary_tree},
    OpenMpiRule{1024, any_length, knomial},
    OpenMpiRule{2048, 512U << 10U, knomial},
    OpenMpiRule{4096, 256U << 10U, knomial},
    OpenMpiRule{any_ranks, 8U << 10U, knomial},
    OpenMpiRule{any_ranks, 16U << 10U, binary_tree},
    OpenMpiRule{any_ranks, 256U << 10U, knomial},
    OpenMpiRule{any_ranks, any_length, scatter_allgather},
};

constexpr std::array allreduce_rules{
    OpenMpiRule{4, 8, OpenMpiAllreduce::ring},
    OpenMpiRule{4, 4U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{4, 8U << 10U, OpenMpiAllreduce::ring},
    OpenMpiRule{4, 16U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{4, 64U << 10U, OpenMpiAllreduce::ring},
    OpenMpiRule{4, 256U << 10U, OpenMpiAllreduce::segmented_ring},
    OpenMpiRule{8, 16, OpenMpiAllreduce::ring},
    OpenMpiRule{16, 8U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{32, 64, OpenMpiAllreduce::segmented_ring},
    OpenMpiRule{32, 4U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{64, 128, OpenMpiAllreduce::segmented_ring},
    OpenMpiRule{64, any_length, OpenMpiAllreduce::rabenseifner},
    OpenMpiRule{128, 256U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{256, 128U << 10U, OpenMpiAllreduce::nonoverlapping},
    OpenMpiRule{256, 256U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{512, 4U << 10U, OpenMpiAllreduce::nonoverlapping},
    OpenMpiRule{512, any_length, OpenMpiAllreduce::rabenseifner},
    OpenMpiRule{any_ranks, 2U << 10U, OpenMpiAllreduce::nonoverlapping},
    OpenMpiRule{2048, 16U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{2048, any_length, OpenMpiAllreduce::rabenseifner},
    OpenMpiRule{4096, 4U << 10U, OpenMpiAllreduce::segmented_ring},
    OpenMpiRule{4096, 16U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{4096, any_length, OpenMpiAllreduce::rabenseifner},
    OpenMpiRule{any_ranks, 16U << 10U, OpenMpiAllreduce::segmented_ring},
    OpenMpiRule{any_ranks, 32U << 10U, OpenMpiAllreduce::recursive_doubling},
    OpenMpiRule{any_ranks, any_length, OpenMpiAllreduce::rabenseifner},
};

constexpr std::array reduce_rules{
    OpenMpiRule{4, 256U << 10U, OpenMpiReduce::linear},
    OpenMpiRule{4, 512U << 10U, OpenMpiReduce::pipeline},
    OpenMpiRule{4, 1U << 20U, OpenMpiReduce::chain},
    OpenMpiRule{4, any_length, OpenMpiReduce::pipeline},
    OpenMpiRule{8, 4U << 10U, OpenMpiReduce::binary},
    OpenMpiRule{8, 64U << 10U, OpenMpiReduce::chain},
    OpenMpiRule{8, 256U << 10U, OpenMpiReduce::binomial},
    OpenMpiRule{8, 512U << 10U, OpenMpiReduce::linear},
    OpenMpiRule{8, 1U << 20U, OpenMpiReduce::binomial},
    OpenMpiRule{8, any_length, OpenMpiReduce::linear},
    OpenMpiRule{16, 8U << 10U, OpenMpiReduce::binary},
    OpenMpiRule{32, 4U << 10U, OpenMpiReduce::binary},
    OpenMpiRule{256, any_length, OpenMpiReduce::binomial},
    OpenMpiRule{512, 8U << 10U, OpenMpiReduce::binomial},
    OpenMpiRule{512, 16U << 10U, OpenMpiReduce::in_order_binary},
    OpenMpiRule{2048, any_length, OpenMpiReduce::binomial},
    OpenMpiRule{any_ranks, 8U << 10U, OpenMpiReduce::binomial},
    OpenMpiRule{any_ranks, 16U << 10U, OpenMpiReduce::in_order_binary},
    OpenMpiRule{any_ranks, any_length, OpenMpiReduce::binomial},
};

}  // namespace

OpenMpiBcast openmpi_bcast(Rank ranks, std::uint64_t message_bytes) {
  return first_that_fits(bcast_rules, ranks, message_bytes);
}

OpenMpiAllreduce openmpi_allreduce(Rank ranks, std::uint64_t message_bytes) {
  return first_that_fits(allreduce_rules, ranks, message_bytes);
}

OpenMpiReduce openmpi_reduce(Rank ranks, std::uint64_t message_bytes) {
  return first_that_fits(reduce_rules, ranks, message_bytes);
}

}  // namespace trunkline
