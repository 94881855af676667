// SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"

#include <mpi.h>

#include <algorithm>
#include <map>

#include "one_way_pair.hpp"
#include "patience.hpp"

namespace trunkline::measure {
namespace {

constexpr int figures_tag = 6;
constexpr std::size_t of_ways = 2;     ///< in what is sent: where the figures of both ways begin,
constexpr std::size_t of_clocks = 10;  ///< and the one-way times
constexpr std::size_t flat_size = of_clocks + 5;

/// The two of a pair measure what goes one way, then change places.
PairFigures figures_of(MPI_Comm two, const PairOptions& options, const Limits& limits) {
  PairFigures figures;
  int rank = 0;
  MPI_Comm_rank(two, &rank);
  for (int sender = 0; sender < 2; ++sender) {
    MPI_Comm ordered = MPI_COMM_NULL;
    MPI_Comm_split(two, 0, rank == sender ? 0 : 1, &ordered);
    Pair pair(ordered, options.bytes, limits);
    const Samples empty = pair.round_trip(0);
    if (sender == 0 && rank == 0) {
      figures.round_trip_s = empty.median();
      figures.round_trip_spread = empty.spread();
    }
    if (sender == 0) figures.one_way = measure_one_way(ordered, limits);
    figures.way[sender] = pair.one_way(options.bytes);
    // The second rank measured what it sends; the first one keeps all of it.
    double flat[4] = {figures.way[sender].injection_s, figures.way[sender].injection_spread,
                      figures.way[sender].bandwidth_Bps, figures.way[sender].bandwidth_spread};
    MPI_Bcast(flat, 4, MPI_DOUBLE, 0, ordered);
    figures.way[sender] = {flat[0], flat[1], flat[2], flat[3]};
    MPI_Comm_free(&ordered);
  }
  return figures;
}

void send_figures(const PairFigures& figures) {
  double flat[flat_size] = {figures.round_trip_s, figures.round_trip_spread};
  for (std::size_t i = 0; i < 2; ++i) {
    const WayFigures& way = figures.way[i];
    double* const at = &flat[of_ways + 4 * i];
    at[0] = way.injection_s;
    at[1] = way.injection_spread;
    at[2] = way.bandwidth_Bps;
    at[3] = way.bandwidth_spread;
  }
  const OneWayTimes& times = figures.one_way;
  double* const at = &flat[of_clocks];
  at[0] = static_cast<double>(times.fault);
  at[1] = times.at_fault;
  at[2] = times.seconds[0];
  at[3] = times.seconds[1];
  at[4] = times.error_s;
  MPI_Send(flat, flat_size, MPI_DOUBLE, 0, figures_tag, MPI_COMM_WORLD);
}

void receive_figures(PairFigures& figures, int owner) {
  double flat[flat_size] = {};
  MPI_Recv(flat, flat_size, MPI_DOUBLE, owner, figures_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  figures.round_trip_s = flat[0];
  figures.round_trip_spread = flat[1];
  for (std::size_t i = 0; i < 2; ++i) {
    const double* const at = &flat[of_ways + 4 * i];
    figures.way[i] = {at[0], at[1], at[2], at[3]};
  }
  const double* const at = &flat[of_clocks];
  figures.one_way = {.fault = static_cast<ClockFault>(static_cast<int>(at[0])),
                     .at_fault = static_cast<std::uint8_t>(at[1]),
                     .seconds = {at[2], at[3]},
                     .error_s = at[4]};
}

}  // namespace

std::vector<PairFigures> measure_pairs(const Cluster& cluster, const Placement& hosts, const PairOptions& options,
                                       const Limits& limits) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::map<HostIndex, int> rank_of;  // the first one of each host
  for (std::size_t i = 0; i < hosts.size(); ++i) rank_of.try_emplace(hosts[i], static_cast<int>(i));
  std::vector<HostIndex> taking_part;
  taking_part.reserve(rank_of.size());
  for (const auto& [host, one] : rank_of) taking_part.push_back(host);
  const auto rounds = rounds_of_pairs(
      cluster, options.only.empty() ? pairs_to_measure(cluster, taking_part, options.most_pairs) : options.only);

  std::vector<PairFigures> all;
  for (std::uint32_t round = 0; round < rounds.size(); ++round) {
    const auto mine = std::ranges::find_if(rounds[round], [&](const HostPair& pair) {
      return rank_of.at(pair.first) == rank || rank_of.at(pair.second) == rank;
    });
    PairFigures figures;
    if (mine != rounds[round].end()) {
      const auto name = [&](HostIndex host) { return cluster.nodes()[cluster.hosts()[host]].name; };
      const Patience patience(options.patience_s, name(mine->first) + " - " + name(mine->second));
      const int members[2] = {rank_of.at(mine->first), rank_of.at(mine->second)};
      MPI_Group world = MPI_GROUP_NULL;
      MPI_Group pair = MPI_GROUP_NULL;
      MPI_Comm two = MPI_COMM_NULL;
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      MPI_Group_incl(world, 2, members, &pair);
      MPI_Comm_create_group(MPI_COMM_WORLD, pair, 0, &two);
      figures = figures_of(two, options, limits);
      MPI_Comm_free(&two);
      MPI_Group_free(&pair);
      MPI_Group_free(&world);
      if (rank != 0 && rank == members[0]) send_figures(figures);
    }
    for (const HostPair& pair : rounds[round]) {
      if (rank != 0) break;
      const int owner = rank_of.at(pair.first);
      PairFigures of_pair = figures;  // this rank's own, which another pair's must not take the place of
      if (owner != 0) receive_figures(of_pair, owner);
      of_pair.hosts = pair;
      of_pair.round = round;
      all.push_back(of_pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return all;
}

}  // namespace trunkline::measure
