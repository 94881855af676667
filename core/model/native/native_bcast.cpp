// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_bcast.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "algorithms/registry.hpp"
#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "algorithms/trees/unaware_k_ary.hpp"
#include "algorithms/trees/unaware_linear.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/native/exchanges.hpp"

namespace trunkline {
namespace {

Tree openmpi_tree(OpenMpiBcast algorithm, Rank ranks, Rank root) {
  switch (algorithm) {
    case OpenMpiBcast::basic_linear:
      return flat_tree(ranks, root);
    case OpenMpiBcast::chain:
      return unaware_linear_tree(ranks, root);
    case OpenMpiBcast::split_binary_tree:
    case OpenMpiBcast::binary_tree:
      return unaware_k_ary_tree(ranks, root, 2);
    case OpenMpiBcast::binomial:
      return k_nomial_tree(ranks, root, 2);
    case OpenMpiBcast::knomial:
    case OpenMpiBcast::scatter_allgather:
      break;
  }
  return k_nomial_tree(ranks, root, openmpi_knomial_radix);
}

const NativeCosts::WholeTree* find_tree(const NativeCosts& costs, OpenMpiBcast algorithm) {
  const auto found = std::ranges::find(costs.openmpi, algorithm, &NativeCosts::WholeTree::algorithm);
  return found == costs.openmpi.end() ? nullptr : &*found;
}

double openmpi_seconds(const NativeCosts& costs, std::uint64_t message_bytes) {
  const NativeCosts::WholeTree* const tree = find_tree(costs, openmpi_bcast(costs.ranks, message_bytes));
  if (tree == nullptr) {
    return round_seconds(costs.scatter_doubling_allgather, message_bytes, message_bytes);
  }
  return message_bytes <= openmpi_eager_bytes ? tree_seconds(tree->in_turn, message_bytes, message_bytes)
                                              : tree->at_once.seconds(message_bytes, message_bytes, costs.hosts);
}

double mpich_seconds(const NativeCosts& costs, std::uint64_t message_bytes) {
  const MpichBcast algorithm = mpich_bcast(costs.ranks, message_bytes);
  if (algorithm == MpichBcast::binomial) return tree_seconds(costs.binomial, message_bytes, message_bytes);
  // Blocks that lie side by side are sent as one message.
  const RoundCosts& scattered =
      algorithm == MpichBcast::scatter_doubling ? costs.scatter_doubling_allgather : costs.scatter_ring_allgather;
  return round_seconds(scattered, message_bytes, message_bytes);
}

}  // namespace

MpichBcast mpich_bcast(Rank ranks, std::uint64_t message_bytes) {
  constexpr std::uint64_t short_bytes = 12288;
  constexpr std::uint64_t long_bytes = 524288;
  constexpr Rank few = 8;
  if (message_bytes < short_bytes || ranks < few) return MpichBcast::binomial;
  return message_bytes < long_bytes && std::has_single_bit(ranks) ? MpichBcast::scatter_doubling
                                                                  : MpichBcast::scatter_ring;
}

NativeCosts native_costs(const Paths& paths, const Placement& placement, Rank root, NativeLibrary library,
                         const HostCosts& hosts, std::optional<std::uint64_t> only_bytes) {
  NativeCosts costs;
  costs.hosts = hosts;
  costs.library = library;
  costs.ranks = static_cast<Rank>(placement.size());
  if (costs.ranks < 2) return costs;
  const auto cost_of = [&](std::string_view name) {
    const Plan plan = lay(Collective::bcast, name, nullptr, placement, root);
    RoundCosts laid = round_costs(paths, placement, rounds_of(plan), hosts, true);
    laid.each.shrink_to_fit();  // kept for each communicator
    return laid;
  };
  if (library == NativeLibrary::mpich) {
    const auto may_run = [&](MpichBcast algorithm) {
      return !only_bytes || mpich_bcast(costs.ranks, *only_bytes) == algorithm;
    };
    if (std::has_single_bit(costs.ranks) && may_run(MpichBcast::scatter_doubling)) {
      costs.scatter_doubling_allgather = cost_of("scatter-doubling");
    }
    if (may_run(MpichBcast::binomial)) {
      costs.binomial = tree_costs(paths, placement, k_nomial_tree(costs.ranks, root, 2), Direction::down, hosts);
    }
    if (may_run(MpichBcast::scatter_ring)) costs.scatter_ring_allgather = cost_of("unaware-scatter-ring");
    return costs;
  }
  const auto add = [&](std::uint64_t bytes) {
    const OpenMpiBcast algorithm = openmpi_bcast(costs.ranks, bytes);
    if (algorithm == OpenMpiBcast::scatter_allgather) {
      if (costs.scatter_doubling_allgather.each.empty()) costs.scatter_doubling_allgather = cost_of("scatter-doubling");
    } else if (find_tree(costs, algorithm) == nullptr) {
      const Tree tree = openmpi_tree(algorithm, costs.ranks, root);
      costs.openmpi.push_back(
          {algorithm, tree_costs(paths, placement, tree, Direction::down, hosts), level_cost(paths, placement, tree)});
    }
  };
  if (only_bytes) {
    add(*only_bytes);
    return costs;
  }
  constexpr std::uint64_t shortest = 1U << 10U;
  constexpr std::uint64_t longest = 1U << 20U;
  for (std::uint64_t bytes = shortest; bytes <= longest; bytes *= 2) add(bytes);
  return costs;
}

double native_bcast_seconds(const NativeCosts& costs, std::uint64_t message_bytes) {
  if (costs.ranks < 2) return 0.0;
  return costs.library == NativeLibrary::openmpi ? openmpi_seconds(costs, message_bytes)
                                                 : mpich_seconds(costs, message_bytes);
}

}  // namespace trunkline
