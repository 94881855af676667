// SPDX-License-Identifier: Apache-2.0
#include "model/native/rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>

namespace trunkline {
namespace {

constexpr std::uint64_t mpich_long_bytes = 524288;
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

constexpr auto bcast_rules = std::to_array<OpenMpiRule<OpenMpiBcast>>({
    {4, 32U << 10U, basic_linear},
    {4, 128U << 10U, binary_tree},
    {4, 256U << 10U, chain},
    {4, 512U << 10U, basic_linear},
    {4, 1U << 20U, binomial},
    {4, any_length, binary_tree},
    {8, 2U << 10U, binary_tree},
    {8, 8U << 10U, binomial},
    {8, 1U << 20U, basic_linear},
    {8, any_length, chain},
    {16, 4U << 10U, knomial},
    {16, 16U << 10U, binary_tree},
    {16, 32U << 10U, binomial},
    {16, any_length, basic_linear},
    {32, 4U << 10U, knomial},
    {32, 1U << 20U, binomial},
    {32, any_length, scatter_allgather},
    {64, 2U << 10U, binomial},
    {128, any_length, knomial},
    {256, 16U << 10U, binary_tree},
    {256, 32U << 10U, basic_linear},
    {256, 64U << 10U, binary_tree},
    {256, any_length, knomial},
    {1024, 16U << 10U, knomial},
    {1024, 32U << 10U, split_binary_tree},
    {1024, any_length, knomial},
    {2048, 512U << 10U, knomial},
    {4096, 256U << 10U, knomial},
    {any_ranks, 8U << 10U, knomial},
    {any_ranks, 16U << 10U, binary_tree},
    {any_ranks, 256U << 10U, knomial},
    {any_ranks, any_length, scatter_allgather},
});

constexpr auto allreduce_rules = std::to_array<OpenMpiRule<OpenMpiAllreduce>>({
    {4, 8, OpenMpiAllreduce::ring},
    {4, 4U << 10U, OpenMpiAllreduce::recursive_doubling},
    {4, 8U << 10U, OpenMpiAllreduce::ring},
    {4, 16U << 10U, OpenMpiAllreduce::recursive_doubling},
    {4, 64U << 10U, OpenMpiAllreduce::ring},
    {4, 256U << 10U, OpenMpiAllreduce::segmented_ring},
    {8, 16, OpenMpiAllreduce::ring},
    {16, 8U << 10U, OpenMpiAllreduce::recursive_doubling},
    {32, 64, OpenMpiAllreduce::segmented_ring},
    {32, 4U << 10U, OpenMpiAllreduce::recursive_doubling},
    {64, 128, OpenMpiAllreduce::segmented_ring},
    {64, any_length, OpenMpiAllreduce::rabenseifner},
    {128, 256U << 10U, OpenMpiAllreduce::recursive_doubling},
    {256, 128U << 10U, OpenMpiAllreduce::nonoverlapping},
    {256, 256U << 10U, OpenMpiAllreduce::recursive_doubling},
    {512, 4U << 10U, OpenMpiAllreduce::nonoverlapping},
    {512, any_length, OpenMpiAllreduce::rabenseifner},
    {any_ranks, 2U << 10U, OpenMpiAllreduce::nonoverlapping},
    {2048, 16U << 10U, OpenMpiAllreduce::recursive_doubling},
    {2048, any_length, OpenMpiAllreduce::rabenseifner},
    {4096, 4U << 10U, OpenMpiAllreduce::segmented_ring},
    {4096, 16U << 10U, OpenMpiAllreduce::recursive_doubling},
    {4096, any_length, OpenMpiAllreduce::rabenseifner},
    {any_ranks, 16U << 10U, OpenMpiAllreduce::segmented_ring},
    {any_ranks, 32U << 10U, OpenMpiAllreduce::recursive_doubling},
    {any_ranks, any_length, OpenMpiAllreduce::rabenseifner},
});

constexpr auto reduce_rules = std::to_array<OpenMpiRule<OpenMpiReduce>>({
    {4, 256U << 10U, OpenMpiReduce::linear},
    {4, 512U << 10U, OpenMpiReduce::pipeline},
    {4, 1U << 20U, OpenMpiReduce::chain},
    {4, any_length, OpenMpiReduce::pipeline},
    {8, 4U << 10U, OpenMpiReduce::binary},
    {8, 64U << 10U, OpenMpiReduce::chain},
    {8, 256U << 10U, OpenMpiReduce::binomial},
    {8, 512U << 10U, OpenMpiReduce::linear},
    {8, 1U << 20U, OpenMpiReduce::binomial},
    {8, any_length, OpenMpiReduce::linear},
    {16, 8U << 10U, OpenMpiReduce::binary},
    {32, 4U << 10U, OpenMpiReduce::binary},
    {256, any_length, OpenMpiReduce::binomial},
    {512, 8U << 10U, OpenMpiReduce::binomial},
    {512, 16U << 10U, OpenMpiReduce::in_order_binary},
    {2048, any_length, OpenMpiReduce::binomial},
    {any_ranks, 8U << 10U, OpenMpiReduce::binomial},
    {any_ranks, 16U << 10U, OpenMpiReduce::in_order_binary},
    {any_ranks, any_length, OpenMpiReduce::binomial},
});

constexpr auto gather_rules = std::to_array<OpenMpiRule<OpenMpiShares>>({
    {4, 4, OpenMpiShares::straight},
    {4, 32U << 10U, OpenMpiShares::binomial},
    {4, 64U << 10U, OpenMpiShares::straight},
    {4, 128U << 10U, OpenMpiShares::binomial},
    {4, any_length, OpenMpiShares::straight},
    {8, 1U << 10U, OpenMpiShares::binomial},
    {8, 8U << 10U, OpenMpiShares::straight},
    {8, 32U << 10U, OpenMpiShares::binomial},
    {8, any_length, OpenMpiShares::straight},
    {256, any_length, OpenMpiShares::binomial},
    {512, 2U << 10U, OpenMpiShares::binomial},
    {512, 8U << 10U, OpenMpiShares::straight},
    {any_ranks, any_length, OpenMpiShares::binomial},
});

constexpr auto scatter_rules = std::to_array<OpenMpiRule<OpenMpiShares>>({
    {4, any_length, OpenMpiShares::straight},
    {8, 2U << 10U, OpenMpiShares::binomial},
    {8, 4U << 10U, OpenMpiShares::straight},
    {8, 8U << 10U, OpenMpiShares::binomial},
    {8, any_length, OpenMpiShares::straight},
    {32, 16U << 10U, OpenMpiShares::binomial},
    {32, any_length, OpenMpiShares::straight},
    {any_ranks, 512, OpenMpiShares::binomial},
    {64, 8U << 10U, OpenMpiShares::straight},
    {64, 16U << 10U, OpenMpiShares::binomial},
    {any_ranks, any_length, OpenMpiShares::straight},
});

/// What is halved must have an element for each of a power of two of the ranks; most programs reduce doubles.
constexpr std::uint64_t reduced_element_bytes = 8;

NativeReduction mpich_reduction(Collective collective, Rank ranks, std::uint64_t message_bytes) {
  constexpr std::uint64_t short_allreduce = 8;
  const bool divides = message_bytes / reduced_element_bytes >= std::bit_floor(ranks);
  if (collective == Collective::allreduce) {
    return message_bytes > short_allreduce && divides ? NativeReduction::halving : NativeReduction::doubling;
  }
  return message_bytes > mpich_short_reduce_bytes && divides ? NativeReduction::halving
                                                             : NativeReduction::binomial_tree;
}

NativeReduction openmpi_reduction(Collective collective, Rank ranks, std::uint64_t message_bytes) {
  if (collective == Collective::allreduce) {
    switch (openmpi_allreduce(ranks, message_bytes)) {
      case OpenMpiAllreduce::nonoverlapping:
        return NativeReduction::reduce_and_bcast;
      case OpenMpiAllreduce::recursive_doubling:
        return NativeReduction::doubling;
      case OpenMpiAllreduce::ring:
      case OpenMpiAllreduce::segmented_ring:
        return NativeReduction::ring;
      case OpenMpiAllreduce::rabenseifner:
        return NativeReduction::halving;
    }
  }
  switch (openmpi_reduce(ranks, message_bytes)) {
    case OpenMpiReduce::linear:
      return NativeReduction::flat_tree;
    case OpenMpiReduce::chain:
    case OpenMpiReduce::pipeline:
      return NativeReduction::line;
    case OpenMpiReduce::binary:
      return NativeReduction::binary_tree;
    case OpenMpiReduce::in_order_binary:
      return NativeReduction::in_order;
    case OpenMpiReduce::binomial:
      break;
  }
  return NativeReduction::binomial_tree;
}

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

OpenMpiShares openmpi_gather(Rank ranks, std::uint64_t share_bytes) {
  return first_that_fits(gather_rules, ranks, share_bytes);
}

OpenMpiShares openmpi_scatter(Rank ranks, std::uint64_t share_bytes) {
  return first_that_fits(scatter_rules, ranks, share_bytes);
}

bool goes_along_a_tree(NativeLibrary library, bool gathers, Rank ranks, std::uint64_t share_bytes) {
  if (library == NativeLibrary::mpich) return true;
  const OpenMpiShares shares = gathers ? openmpi_gather(ranks, share_bytes) : openmpi_scatter(ranks, share_bytes);
  return shares == OpenMpiShares::binomial;
}

MpichBcast mpich_bcast(Rank ranks, std::uint64_t message_bytes) {
  constexpr std::uint64_t short_bytes = 12288;
  constexpr Rank few = 8;
  if (message_bytes < short_bytes || ranks < few) return MpichBcast::binomial;
  return message_bytes < mpich_long_bytes && std::has_single_bit(ranks) ? MpichBcast::scatter_doubling
                                                                        : MpichBcast::scatter_ring;
}

bool mpich_gathers_round_a_ring(Rank ranks, std::uint64_t message_bytes) {
  constexpr std::uint64_t bruck_bytes = 81920;
  return message_bytes >= (std::has_single_bit(ranks) ? mpich_long_bytes : bruck_bytes);
}

bool mpich_scatters_pairwise(std::uint64_t message_bytes) { return message_bytes >= mpich_long_bytes; }

bool mpich_exchanges_in_turn(std::uint64_t block_bytes) {
  constexpr std::uint64_t medium_bytes = 32768;
  return block_bytes > medium_bytes;
}

bool mpich_exchanges_by_bruck(Rank ranks, std::uint64_t block_bytes) {
  constexpr std::uint64_t short_bytes = 256;
  constexpr Rank least_ranks = 8;
  return block_bytes <= short_bytes && ranks >= least_ranks;
}

double queues_that_pass(NativeLibrary library, Collective collective) {
  return library == NativeLibrary::openmpi && facts_of(collective).has_private_lengths() ? 1.0 : 2.0;
}

NativeReduction native_reduction(NativeLibrary library, Collective collective, Rank ranks,
                                 std::uint64_t message_bytes) {
  return library == NativeLibrary::openmpi ? openmpi_reduction(collective, ranks, message_bytes)
                                           : mpich_reduction(collective, ranks, message_bytes);
}

}  // namespace trunkline
