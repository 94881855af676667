// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_reduction.hpp"

#include <algorithm>
#include <bit>

#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/unaware_k_ary.hpp"
#include "algorithms/trees/unaware_linear.hpp"
#include "model/native/reduction_exchanges.hpp"

namespace trunkline {
namespace {

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

std::vector<RoundCost> reduction_rounds(const Paths& paths, const Placement& placement, Collective collective,
                                        Rank root, NativeReduction algorithm) {
  const auto ranks = static_cast<Rank>(placement.size());
  const auto exchanges = [&](const std::vector<Exchange>& all) { return exchange_costs(paths, placement, all); };
  const auto in_pairs = [&](const std::vector<Exchange>& all) {
    std::vector<RoundCost> rounds = exchanges(all);
    for (RoundCost& one : rounds) one.announced = announced_exchanges;
    return rounds;
  };
  // Up a tree the same transfers go the other way, and links carry both ways alike.
  const auto levels = [&](const Tree& tree) { return std::vector{level_cost(paths, placement, tree, true)}; };
  switch (algorithm) {
    case NativeReduction::doubling:
      return in_pairs(recursive_doubling(ranks));
    case NativeReduction::halving:
      return in_pairs(collective == Collective::allreduce ? halving_and_doubling(ranks) : halving_and_gather(ranks));
    case NativeReduction::ring:
      return exchanges(twice_round_a_ring(ranks));
    case NativeReduction::flat_tree:
      return levels(flat_tree(ranks, root));
    case NativeReduction::line:
      return levels(unaware_linear_tree(ranks, root));
    case NativeReduction::binary_tree:
      return levels(unaware_k_ary_tree(ranks, root, 2));
    case NativeReduction::in_order: {
      std::vector<RoundCost> rounds = levels(in_order_binary_tree(ranks));
      if (root != ranks - 1) rounds.push_back(exchanges({{.transfers = {{ranks - 1, root}}}}).front());
      return rounds;
    }
    case NativeReduction::binomial_tree:
    case NativeReduction::reduce_and_bcast:
      break;
  }
  return exchanges(up_binomial_tree(ranks, root));
}

double selected_seconds(const NativeReductionCosts& costs, NativeReduction algorithm, std::uint64_t message_bytes) {
  const auto found = std::ranges::find(costs.algorithms, algorithm, &NativeReductionCosts::One::algorithm);
  double seconds = 0.0;
  for (const RoundCost& one : found->rounds) {
    seconds += one.seconds(message_bytes, one.transfer_bytes(message_bytes), costs.hosts);
  }
  return seconds;
}

}  // namespace

NativeReduction native_reduction(NativeLibrary library, Collective collective, Rank ranks,
                                 std::uint64_t message_bytes) {
  return library == NativeLibrary::openmpi ? openmpi_reduction(collective, ranks, message_bytes)
                                           : mpich_reduction(collective, ranks, message_bytes);
}

NativeReductionCosts native_reduction_costs(const Paths& paths, const Placement& placement, Collective collective,
                                            Rank root, NativeLibrary library, const HostCosts& hosts,
                                            std::optional<std::uint64_t> only_bytes) {
  NativeReductionCosts costs{
      .library = library, .collective = collective, .ranks = static_cast<Rank>(placement.size()), .hosts = hosts};
  if (costs.ranks < 2) return costs;
  const auto lay = [&](NativeReduction algorithm) {
    if (std::ranges::find(costs.algorithms, algorithm, &NativeReductionCosts::One::algorithm) != costs.algorithms.end())
      return;
    costs.algorithms.push_back({algorithm, reduction_rounds(paths, placement, collective, root, algorithm)});
  };
  const auto add = [&](std::uint64_t bytes) {
    const NativeReduction algorithm = native_reduction(library, collective, costs.ranks, bytes);
    if (algorithm != NativeReduction::reduce_and_bcast) {
      lay(algorithm);
      return;
    }
    lay(native_reduction(library, Collective::reduce, costs.ranks, bytes));
    if (costs.bcast.ranks == 0) costs.bcast = native_costs(paths, placement, root, library, hosts, only_bytes);
  };
  if (only_bytes) {
    add(*only_bytes);
    return costs;
  }
  // Rules change at powers of two, or just above them.
  constexpr std::uint64_t longest = 1U << 24U;
  for (std::uint64_t bytes = 1; bytes <= longest; bytes *= 2) add(bytes);
  return costs;
}

double native_reduction_seconds(const NativeReductionCosts& costs, std::uint64_t message_bytes) {
  if (costs.ranks < 2) return 0.0;
  const NativeReduction algorithm = native_reduction(costs.library, costs.collective, costs.ranks, message_bytes);
  if (algorithm != NativeReduction::reduce_and_bcast) return selected_seconds(costs, algorithm, message_bytes);
  const NativeReduction up = native_reduction(costs.library, Collective::reduce, costs.ranks, message_bytes);
  return selected_seconds(costs, up, message_bytes) + native_bcast_seconds(costs.bcast, message_bytes);
}

}  // namespace trunkline
