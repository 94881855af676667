// SPDX-License-Identifier: Apache-2.0
#include "model/native_bcast.hpp"

#include <algorithm>
#include <bit>

#include "model/wire.hpp"
#include "plan/shapes/k_nomial.hpp"

namespace trunkline {
namespace {

constexpr double software_s = 20e-6;  ///< a message through both MPI libraries and both kernels

/// Adds up the transfers of one round, then turns them into time.
class Round {
 public:
  Round(const Cluster& cluster, const Placement& placement, Rank root)
      : cluster_(cluster), placement_(placement), root_(root), load_(cluster.channel_count(), 0.0) {}

  /// `fraction` of the message from one relative rank to another.
  void transfer(Rank from, Rank to, double fraction) {
    const HostIndex u = host(from);
    const HostIndex v = host(to);
    if (u == v) return;
    double forwarding = 0.0;
    bool first = true;
    for (const ChannelId channel : cluster_.path(cluster_.hosts()[u], cluster_.hosts()[v])) {
      if (load_[channel] == 0.0) used_.push_back(channel);
      load_[channel] += fraction;
      const Link& link = cluster_.link_of(channel);
      forwarding += link.latency_s + (first ? 0.0 : static_cast<double>(frame_wire_bytes) * 8.0 / link.rate_bps);
      first = false;
    }
    forwarding_ = std::max(forwarding_, forwarding);
  }

  /// Adds the round's time to `cost`, `times` over, and starts an empty round.
  void finish(RoundCost& cost, double times = 1.0) {
    double busiest = 0.0;
    for (const ChannelId channel : used_) {
      busiest = std::max(busiest, load_[channel] * 8.0 / cluster_.link_of(channel).rate_bps);
      load_[channel] = 0.0;
    }
    used_.clear();
    cost.rounds += times;
    cost.seconds_per_byte += times * busiest;
    cost.forwarding_s += times * forwarding_;
    forwarding_ = 0.0;
  }

 private:
  [[nodiscard]] HostIndex host(Rank relative) const { return placement_[(relative + root_) % placement_.size()]; }

  const Cluster& cluster_;
  const Placement& placement_;
  Rank root_;
  std::vector<double> load_;
  std::vector<ChannelId> used_;
  double forwarding_ = 0.0;
};

/// Scatter down the binomial tree over relative ranks, widest distance first: each transfer carries the blocks of the
/// receiver's whole subtree.
RoundCost scatter(Round& round, Rank ranks) {
  RoundCost cost;
  for (Rank distance = std::bit_ceil(ranks) / 2; distance > 0; distance /= 2) {
    for (Rank from = 0; from + distance < ranks; from += 2 * distance) {
      const Rank subtree = std::min(distance, ranks - from - distance);
      round.transfer(from, from + distance, static_cast<double>(subtree) / ranks);
    }
    round.finish(cost);
  }
  return cost;
}

RoundCost sum(const RoundCost& a, const RoundCost& b) {
  return {a.rounds + b.rounds, a.seconds_per_byte + b.seconds_per_byte, a.forwarding_s + b.forwarding_s};
}

RoundCost doubling_allgather(Round& round, Rank ranks) {
  RoundCost cost;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    for (Rank from = 0; from < ranks; ++from) {
      const Rank to = from ^ distance;
      if (to < ranks) round.transfer(from, to, static_cast<double>(distance) / ranks);
    }
    round.finish(cost);
  }
  return cost;
}

RoundCost ring_allgather(Round& round, Rank ranks) {
  RoundCost cost;
  for (Rank from = 0; from < ranks; ++from) round.transfer(from, (from + 1) % ranks, 1.0 / ranks);
  round.finish(cost, static_cast<double>(ranks) - 1.0);
  return cost;
}

}  // namespace

double RoundCost::seconds(std::uint64_t message_bytes) const {
  return rounds * software_s + forwarding_s + seconds_per_byte * static_cast<double>(wire_bytes(message_bytes));
}

NativeCosts native_costs(const Cluster& cluster, const Placement& placement, Rank root) {
  NativeCosts costs;
  costs.ranks = static_cast<Rank>(placement.size());
  if (costs.ranks < 2) return costs;
  Round round(cluster, placement, root);
  const RoundCost first = scatter(round, costs.ranks);
  costs.binomial = tree_costs(cluster, placement, k_nomial_tree(costs.ranks, root, 2));
  costs.scatter_doubling_allgather = sum(first, doubling_allgather(round, costs.ranks));
  costs.scatter_ring_allgather = sum(first, ring_allgather(round, costs.ranks));
  return costs;
}

double native_bcast_seconds(const NativeCosts& costs, std::uint64_t message_bytes, NativeLibrary library) {
  constexpr std::uint64_t mpich_short = 12288;
  constexpr std::uint64_t mpich_long = 524288;
  constexpr Rank mpich_few = 8;
  const double binomial = tree_seconds(costs.binomial, message_bytes, message_bytes);
  const double ring = costs.scatter_ring_allgather.seconds(message_bytes);
  if (library == NativeLibrary::openmpi) return std::min(binomial, ring);
  if (message_bytes < mpich_short || costs.ranks < mpich_few) return binomial;
  if (message_bytes < mpich_long && std::has_single_bit(costs.ranks)) {
    return costs.scatter_doubling_allgather.seconds(message_bytes);
  }
  return ring;
}

}  // namespace trunkline
