// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>

namespace trunkline {
namespace {

constexpr std::string_view shares_unknown = "what Open MPI selects for this collective is not known here";
constexpr std::string_view barrier_unknown = "no algorithm of a barrier is known here";
constexpr std::string_view half_by_hosts =
    "MPICH takes several ranks of a host together here in a way that is not known here";

/// As each library's settings name them, in the order of the algorithms of rules.hpp.
constexpr std::array<std::string_view, 3> mpich_bcasts{"binomial", "scatter_recursive_doubling_allgather",
                                                       "scatter_ring_allgather"};
constexpr std::array<std::string_view, 7> openmpi_bcasts{"basic_linear", "chain",   "split_binary_tree", "binary_tree",
                                                         "binomial",     "knomial", "scatter_allgather"};
constexpr std::array<std::string_view, 6> openmpi_reduces{"linear", "chain",    "pipeline",
                                                          "binary", "binomial", "in-order_binary"};
constexpr std::array<std::string_view, 5> openmpi_allreduces{"nonoverlapping", "recursive_doubling", "ring",
                                                             "segmented_ring", "rabenseifner"};

std::string_view name_of(MpichBcast algorithm) { return mpich_bcasts.at(static_cast<std::size_t>(algorithm)); }
std::string_view name_of(OpenMpiBcast algorithm) { return openmpi_bcasts.at(static_cast<std::size_t>(algorithm)); }
std::string_view name_of(OpenMpiReduce algorithm) { return openmpi_reduces.at(static_cast<std::size_t>(algorithm)); }
std::string_view name_of(OpenMpiAllreduce algorithm) {
  return openmpi_allreduces.at(static_cast<std::size_t>(algorithm));
}

/// Of an alltoall.
std::string_view mpich_pairs(Collective collective, Rank ranks, std::uint64_t bytes) {
  if (facts_of(collective).has_private_lengths()) return "scattered";
  if (mpich_exchanges_by_bruck(ranks, bytes)) return "brucks";
  return mpich_exchanges_in_turn(bytes) ? "pairwise" : "scattered";
}

NativeChoice openmpi_choice(Collective collective, Rank ranks, std::uint64_t bytes) {
  if (collective == Collective::bcast) return {.algorithm = name_of(openmpi_bcast(ranks, bytes))};
  if (collective == Collective::reduce) return {.algorithm = name_of(openmpi_reduce(ranks, bytes))};
  if (facts_of(collective).has_shares_at_root()) {
    const bool gathers = facts_of(collective).after == Holding::all_at_root;
    const bool is_tree = goes_along_a_tree(NativeLibrary::openmpi, gathers, ranks, bytes / ranks);
    return {.algorithm = is_tree ? "binomial" : "", .unknown = is_tree ? "" : shares_unknown};
  }
  if (facts_of(collective).makes_prefixes()) return {.algorithm = "linear"};
  if (collective != Collective::allreduce) return {.algorithm = {}, .unknown = shares_unknown};
  const OpenMpiAllreduce algorithm = openmpi_allreduce(ranks, bytes);
  if (algorithm != OpenMpiAllreduce::nonoverlapping) return {.algorithm = name_of(algorithm)};
  return {.algorithm = name_of(algorithm),
          .reduce = name_of(openmpi_reduce(ranks, bytes)),
          .bcast = name_of(openmpi_bcast(ranks, bytes))};
}

/// Of allgathers and reduce-scatters, whose message is that of all ranks.
std::string_view mpich_shares(Collective collective, Rank ranks, std::uint64_t bytes) {
  if (facts_of(collective).reduces) return mpich_scatters_pairwise(bytes) ? "pairwise" : "recursive_halving";
  if (mpich_gathers_round_a_ring(ranks, bytes)) return "ring";
  return std::has_single_bit(ranks) ? "recursive_doubling" : "brucks";
}

/// Among these ranks, one on each host.
std::string_view mpich_algorithm(Collective collective, Rank ranks, std::uint64_t bytes) {
  if (collective == Collective::bcast) return name_of(mpich_bcast(ranks, bytes));
  if (facts_of(collective).has_shares_at_root()) return "binomial";
  if (facts_of(collective).goes_by_shares()) return mpich_shares(collective, ranks, bytes);
  if (facts_of(collective).goes_by_pairs()) return mpich_pairs(collective, ranks, bytes);
  if (facts_of(collective).makes_prefixes()) return "recursive_doubling";
  const bool halves = native_reduction(NativeLibrary::mpich, collective, ranks, bytes) == NativeReduction::halving;
  if (collective == Collective::allreduce) return halves ? "reduce_scatter_allgather" : "recursive_doubling";
  return halves ? "reduce_scatter_gather" : "binomial";
}

NativeChoice mpich_choice(Collective collective, const Placement& placement, Rank root, std::uint64_t bytes) {
  const auto ranks = static_cast<Rank>(placement.size());
  const auto hosts = static_cast<Rank>(std::unordered_set<HostIndex>(placement.begin(), placement.end()).size());
  const auto in_first_host = static_cast<Rank>(std::ranges::count(placement, placement.front()));
  const bool several_on_a_host = hosts > 1 && hosts < ranks;
  if (!several_on_a_host || !facts_of(collective).has_one_message()) {
    return {.algorithm = mpich_algorithm(collective, ranks, bytes)};
  }
  if (collective == Collective::bcast && mpich_bcast(ranks, bytes) == MpichBcast::scatter_ring) {
    return {.algorithm = name_of(MpichBcast::scatter_ring)};
  }
  const bool root_stands_for_its_host = std::ranges::find(placement, placement[root]) - placement.begin() == root;
  if (!mpich_goes_by_hosts(collective, ranks, bytes) || (facts_of(collective).has_root && !root_stands_for_its_host)) {
    return {.algorithm = {}, .unknown = half_by_hosts};
  }
  NativeChoice choice{.algorithm = mpich_algorithm(collective, hosts, bytes), .by_hosts = true};
  if (collective == Collective::allreduce) {
    choice.reduce = mpich_algorithm(Collective::reduce, in_first_host, bytes);
    choice.bcast = mpich_algorithm(Collective::bcast, in_first_host, bytes);
  }
  return choice;
}

}  // namespace

bool mpich_goes_by_hosts(Collective collective, Rank ranks, std::uint64_t message_bytes) {
  if (!facts_of(collective).has_one_message()) return false;
  return collective != Collective::bcast || mpich_bcast(ranks, message_bytes) == MpichBcast::binomial;
}

NativeChoice native_choice(NativeLibrary library, Collective collective, const Placement& placement, Rank root,
                           std::uint64_t message_bytes) {
  if (collective == Collective::barrier) return {.algorithm = {}, .unknown = barrier_unknown};
  return library == NativeLibrary::openmpi
             ? openmpi_choice(collective, static_cast<Rank>(placement.size()), message_bytes)
             : mpich_choice(collective, placement, root, message_bytes);
}

}  // namespace trunkline
