// SPDX-License-Identifier: Apache-2.0
#include "model/native/exchanges.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace trunkline {

std::vector<RoundCost> exchange_costs(const Paths& paths, const Placement& placement,
                                      std::span<const Exchange> exchanges) {
  const std::vector<Rank> order = by_number(static_cast<Rank>(placement.size()), 0);
  TimedRound round(paths, placement, order);
  std::vector<RoundCost> costs;
  for (const Exchange& exchange : exchanges) {
    for (const auto& [from, to] : exchange.transfers) {
      round.transfer(from, to, exchange.part, exchange.reducing * exchange.part);
    }
    if (!exchange.transfers.empty()) round.finish(costs.emplace_back(), exchange.times);
  }
  return costs;
}

RoundCost exchange_cost(const Paths& paths, const Placement& placement, std::span<const Exchange> exchanges) {
  RoundCost all;
  for (const RoundCost& one : exchange_costs(paths, placement, exchanges)) all += one;
  return all;
}

RoundCost level_cost(const Paths& paths, const Placement& placement, const Tree& tree, bool reduces) {
  const std::vector<Rank> order = by_number(static_cast<Rank>(tree.size()), 0);
  TimedRound round(paths, placement, order);
  RoundCost cost;
  for (std::vector<Rank> level{tree.root}, next; !level.empty(); level = std::exchange(next, {})) {
    for (const Rank rank : level) {
      for (const Rank child : tree.children[rank]) {
        const auto beside = [&](Rank other) {
          return (placement[other] == placement[rank]) == (placement[child] == placement[rank]);
        };
        const auto combined = reduces ? static_cast<double>(std::ranges::count_if(tree.children[rank], beside)) : 0.0;
        round.transfer(rank, child, 1.0, combined);
        next.push_back(child);
      }
    }
    if (!next.empty()) round.finish(cost);
  }
  return cost;
}

namespace {

/// Each rank to the one that is that much further.
std::vector<std::pair<Rank, Rank>> at_distance(Rank ranks, Rank distance) {
  std::vector<std::pair<Rank, Rank>> transfers;
  for (Rank rank = 0; rank < ranks; ++rank) transfers.emplace_back(rank, (rank + distance) % ranks);
  return transfers;
}

/// The exchanges of a power of two of the ranks, as MPICH and Open MPI make them: where there are more ranks, the first
/// ones go in pairs, and one of each pair stands for both.
class Folded {
 public:
  explicit Folded(Rank ranks) : active_(std::bit_floor(ranks)), pairs_(ranks - active_) {}

  [[nodiscard]] Rank active() const { return active_; }

  /// Everybody with whoever is that far away.
  [[nodiscard]] Exchange exchange(Rank distance, double part, bool reduces) const {
    Exchange one{.transfers = {}, .part = part, .reducing = reduces ? 1.0 : 0.0};
    for (Rank i = 0; i < active_; ++i) one.transfers.emplace_back(rank(i), rank(i ^ distance));
    return one;
  }

  /// In pairs first, then halves, quarters, ... of the vector, between the nearest first.
  [[nodiscard]] std::vector<Exchange> halving() const {
    std::vector<Exchange> all{fold(false)};
    double part = 1.0;
    for (Rank distance = 1; distance < active_; distance *= 2) all.push_back(exchange(distance, part /= 2.0, true));
    return all;
  }

  /// Up a binomial tree: those that are that far from their parent.
  [[nodiscard]] Exchange gather(Rank distance, double part) const {
    Exchange one{.part = part};
    for (Rank i = distance; i < 2 * distance; ++i) one.transfers.emplace_back(rank(i), rank(i - distance));
    return one;
  }

  [[nodiscard]] Exchange fold(bool back) const {
    Exchange one{.reducing = back ? 0.0 : 1.0};
    for (Rank i = 0; i < pairs_; ++i) {
      if (back) {
        one.transfers.emplace_back(2 * i + 1, 2 * i);
      } else {
        one.transfers.emplace_back(2 * i, 2 * i + 1);
      }
    }
    return one;
  }

 private:
  [[nodiscard]] Rank rank(Rank position) const { return position < pairs_ ? 2 * position + 1 : position + pairs_; }

  Rank active_;
  Rank pairs_;
};

}  // namespace

std::vector<Exchange> recursive_doubling(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all{folded.fold(false)};
  for (Rank distance = 1; distance < folded.active(); distance *= 2)
    all.push_back(folded.exchange(distance, 1.0, true));
  all.push_back(folded.fold(true));
  return all;
}

std::vector<Exchange> dissemination(Rank ranks) {
  std::vector<Exchange> all;
  for (std::uint64_t distance = 1; distance < ranks; distance *= 2) {
    all.push_back({.transfers = at_distance(ranks, static_cast<Rank>(distance))});
  }
  return all;
}

std::vector<Exchange> halving_and_doubling(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all = folded.halving();
  double part = all.back().part;
  for (Rank distance = folded.active() / 2; distance > 0; distance /= 2, part *= 2.0) {
    all.push_back(folded.exchange(distance, part, false));
  }
  all.push_back(folded.fold(true));
  return all;
}

std::vector<Exchange> halving_of_blocks(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all{folded.fold(false)};
  double part = 1.0;
  for (Rank distance = folded.active() / 2; distance > 0; distance /= 2) {
    all.push_back(folded.exchange(distance, part /= 2.0, true));
  }
  all.push_back(folded.fold(true));
  all.back().part = 1.0 / ranks;
  return all;
}

std::vector<Exchange> halving_and_gather(Rank ranks) {
  const Folded folded(ranks);
  std::vector<Exchange> all = folded.halving();
  double part = all.back().part;
  for (Rank distance = folded.active() / 2; distance > 0; distance /= 2, part *= 2.0) {
    all.push_back(folded.gather(distance, part));
  }
  return all;
}

std::vector<Exchange> twice_round_a_ring(Rank ranks) {
  return {{.transfers = at_distance(ranks, 1), .part = 1.0 / ranks, .times = 2.0 * (ranks - 1), .reducing = 0.5}};
}

std::vector<Exchange> round_a_ring(Rank ranks, double reducing) {
  return {{.transfers = at_distance(ranks, 1), .part = 1.0 / ranks, .times = ranks - 1.0, .reducing = reducing}};
}

/// An exchange for each distance, or for some that stand for all.
template <class Transfers>
std::vector<Exchange> by_distance(Rank ranks, Transfers transfers) {
  constexpr Rank most_looked_at = 16;
  const Rank distances = ranks - 1;
  const Rank looked_at = std::min(distances, most_looked_at);
  std::vector<Exchange> all;
  for (Rank k = 0; k < looked_at; ++k) {
    const Rank distance = 1 + static_cast<Rank>(std::uint64_t{k} * distances / looked_at);
    all.push_back({.transfers = transfers(distance), .times = static_cast<double>(distances) / looked_at});
  }
  return all;
}

std::vector<Exchange> at_each_distance(Rank ranks, double reducing) {
  std::vector<Exchange> all = by_distance(ranks, [ranks](Rank distance) { return at_distance(ranks, distance); });
  for (Exchange& one : all) {
    one.part = 1.0 / ranks;
    one.reducing = reducing;
  }
  return all;
}

std::vector<Exchange> pairs_by_turns(Rank ranks) {
  return by_distance(ranks, [ranks](Rank distance) {
    std::vector<std::pair<Rank, Rank>> transfers = at_distance(ranks, distance);
    if (!std::has_single_bit(ranks)) return transfers;
    for (auto& [from, to] : transfers) to = from ^ distance;
    return transfers;
  });
}

std::vector<Exchange> doubling_of_blocks(Rank ranks) {
  std::vector<Exchange> all;
  const bool in_pairs = std::has_single_bit(ranks);
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back();
    one.part = static_cast<double>(std::min(distance, ranks - distance)) / ranks;
    for (Rank rank = 0; rank < ranks; ++rank) {
      one.transfers.emplace_back(rank, in_pairs ? rank ^ distance : (rank + ranks - distance) % ranks);
    }
  }
  return all;
}

std::vector<Exchange> pairs_by_bruck(Rank ranks) {
  std::vector<Exchange> all;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Rank blocks = 0;
    for (Rank way = 1; way < ranks; ++way) blocks += (way & distance) != 0 ? 1 : 0;
    all.push_back({.transfers = at_distance(ranks, distance), .part = static_cast<double>(blocks)});
  }
  return all;
}

std::vector<Exchange> up_binomial_tree(Rank ranks, Rank root) {
  std::vector<Exchange> all;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back(Exchange{.reducing = 1.0});
    for (Rank from = distance; from < ranks; from += 2 * distance) {
      one.transfers.emplace_back((from + root) % ranks, (from - distance + root) % ranks);
    }
  }
  return all;
}

std::vector<Exchange> doubling_of_prefixes(Rank ranks) {
  std::vector<Exchange> all;
  for (Rank distance = 1; distance < ranks; distance *= 2) {
    Exchange& one = all.emplace_back(Exchange{.transfers = {}, .reducing = 1.0});
    for (Rank rank = 0; rank < ranks; ++rank) {
      if ((rank ^ distance) < ranks) one.transfers.emplace_back(rank, rank ^ distance);
    }
  }
  return all;
}

std::vector<Exchange> from_rank_to_rank(Rank ranks) {
  std::vector<Exchange> all;
  for (Rank rank = 0; rank + 1 < ranks; ++rank) {
    all.push_back(Exchange{.transfers = {{rank, rank + 1}}, .reducing = 1.0});
  }
  return all;
}

Tree in_order_binary_tree(Rank ranks) {
  struct Part {
    Rank begin;
    Rank end;
  };
  Tree tree = root_alone(ranks, ranks - 1);
  std::vector<Part> parts{{.begin = 0, .end = ranks}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    const Rank half = begin + (end - begin) / 2;
    for (const Part& below : {Part{.begin = half, .end = end - 1}, Part{.begin = begin, .end = half}}) {
      if (below.begin >= below.end) continue;
      add_child(tree, end - 1, below.end - 1);
      parts.push_back(below);
    }
  }
  return tree;
}

}  // namespace trunkline
