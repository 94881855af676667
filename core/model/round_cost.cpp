// SPDX-License-Identifier: Apache-2.0
#include "model/round_cost.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "algorithms/circulant.hpp"
#include "model/path_loads.hpp"
#include "model/wire.hpp"
#include "network/paths.hpp"

namespace trunkline {
namespace {

/// Adds up the transfers of one round, then turns them into time.
class Round {
 public:
  Round(const Cluster& cluster, const Placement& placement, std::span<const Rank> order)
      : cluster_(cluster), placement_(placement), order_(order), paths_(cluster), loads_(paths_) {}

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(order_.size()); }

  /// `fraction` of the message from one position to another.
  void transfer(Rank from, Rank to, double fraction) {
    const HostIndex u = placement_[order_[from]];
    const HostIndex v = placement_[order_[to]];
    if (u != v) loads_.add(cluster_.hosts()[u], cluster_.hosts()[v], fraction);
  }

  /// Adds the round's time to `cost`, `times` over, and starts an empty round.
  void finish(RoundCost& cost, double times = 1.0) {
    loads_.settle();
    double latency_s = 0.0;
    double frame_byte_s = 0.0;
    for (const PathLoads::Transfer& transfer : loads_.transfers()) {
      const PathCost path = loads_.cost(transfer);
      latency_s = std::max(latency_s, path.latency_s);
      frame_byte_s = std::max(frame_byte_s, path.byte_s - path.first_byte_s);
    }
    cost.rounds += times;
    cost.seconds_per_byte += times * loads_.slowest_byte_s();
    cost.latency_s += times * latency_s;
    cost.frame_byte_s += times * frame_byte_s;
    loads_.clear();
  }

 private:
  const Cluster& cluster_;
  const Placement& placement_;
  std::span<const Rank> order_;
  Paths paths_;
  PathLoads loads_;
};

/// Scatter down the binomial tree, widest distance first: each transfer carries the blocks of the receiver's whole
/// subtree.
void scatter(Round& round, RoundCost& cost) {
  const Rank ranks = round.ranks();
  for (Rank distance = std::bit_ceil(ranks) / 2; distance > 0; distance /= 2) {
    for (Rank from = 0; from + distance < ranks; from += 2 * distance) {
      const Rank subtree = std::min(distance, ranks - from - distance);
      round.transfer(from, from + distance, static_cast<double>(subtree) / ranks);
    }
    round.finish(cost);
  }
}

/// Positions that halve into those whose halves exchange what they have.
struct Group {
  Rank begin;
  Rank end;
  [[nodiscard]] Rank size() const { return end - begin; }
  [[nodiscard]] Rank middle() const { return begin + (size() + 1) / 2; }
};

/// One round for all groups of a level, and one for those of odd size, where there are any.
void exchange(Round& round, const std::vector<Group>& groups, RoundCost& cost) {
  const auto all = static_cast<double>(round.ranks());
  for (const Group& group : groups) {
    const Rank second_half = group.end - group.middle();
    for (Rank i = 0; i < second_half; ++i) {
      round.transfer(group.begin + i, group.middle() + i, (group.middle() - group.begin) / all);
      round.transfer(group.middle() + i, group.begin + i, second_half / all);
    }
  }
  round.finish(cost);
  bool any_left_over = false;
  for (const Group& group : groups) {
    if (group.size() < 2 || group.size() % 2 == 0) continue;
    round.transfer(group.end - 1, group.middle() - 1, (group.end - group.middle()) / all);
    any_left_over = true;
  }
  if (any_left_over) round.finish(cost);
}

}  // namespace

double RoundCost::seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes) const {
  const std::uint64_t transfer = std::min(transfer_bytes, message_bytes);
  const double transfers = static_cast<double>(message_bytes) / static_cast<double>(transfer);
  const auto wire = static_cast<double>(wire_bytes(transfer));
  return rounds * message_software_s + latency_s +
         frame_byte_s * std::min(wire, static_cast<double>(frame_wire_bytes)) +
         std::max(seconds_per_byte * transfers * wire, transfers * message_software_s);
}

RoundCost scatter_doubling_cost(const Cluster& cluster, const Placement& placement, std::span<const Rank> order) {
  Round round(cluster, placement, order);
  RoundCost cost;
  scatter(round, cost);
  std::vector<Group> groups{{0, round.ranks()}};
  while (std::ranges::any_of(groups, [](const Group& group) { return group.size() > 1; })) {
    exchange(round, groups, cost);
    std::vector<Group> halves;
    for (const Group& group : groups) {
      halves.push_back({group.begin, group.middle()});
      if (group.size() > 1) halves.push_back({group.middle(), group.end});
    }
    groups = std::move(halves);
  }
  return cost;
}

RoundCost scatter_ring_cost(const Cluster& cluster, const Placement& placement, std::span<const Rank> order) {
  Round round(cluster, placement, order);
  const Rank ranks = round.ranks();
  RoundCost cost;
  scatter(round, cost);
  for (Rank from = 0; from < ranks; ++from) round.transfer(from, (from + 1) % ranks, 1.0 / ranks);
  round.finish(cost, static_cast<double>(ranks) - 1.0);
  return cost;
}

RoundCost circulant_cost(const Cluster& cluster, const Placement& placement, std::span<const Rank> order) {
  Round round(cluster, placement, order);
  const Rank ranks = round.ranks();
  RoundCost cost;
  for (const Rank skip : Circulant::skips(ranks)) {
    for (Rank from = 0; from < ranks; ++from) {
      const auto to = static_cast<Rank>((std::uint64_t{from} + skip) % ranks);
      if (to != 0) round.transfer(from, to, 1.0);
    }
    round.finish(cost);
  }
  return cost;
}

RoundCost level_cost(const Cluster& cluster, const Placement& placement, const Tree& tree) {
  const std::vector<Rank> order = by_number(static_cast<Rank>(tree.size()), 0);
  Round round(cluster, placement, order);
  RoundCost cost;
  for (std::vector<Rank> level{tree.root}, next; !level.empty(); level = std::exchange(next, {})) {
    for (const Rank rank : level) {
      for (const Rank child : tree.children[rank]) {
        round.transfer(rank, child, 1.0);
        next.push_back(child);
      }
    }
    if (!next.empty()) round.finish(cost);
  }
  return cost;
}

}  // namespace trunkline
