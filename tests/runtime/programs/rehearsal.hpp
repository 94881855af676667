// SPDX-License-Identifier: Apache-2.0
// What calls by datagrams in a time of their own are made of at random: trees, weather, ranks that are late.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "air.hpp"
#include "kinds/multicast/multicast.hpp"
#include "patterns/tree.hpp"

namespace trunkline::testing {

inline constexpr double longest_call_s = 300.0;
inline constexpr double step_s = 0.0002;

/// From 0 on, below `end`.
inline std::uint32_t any_below(std::uint32_t end, std::mt19937& random) {
  return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
}
inline bool chance(double probability, std::mt19937& random) {
  return std::uniform_real_distribution<>(0.0, 1.0)(random) < probability;
}
inline double part(double most, std::mt19937& random) { return std::uniform_real_distribution<>(0.0, most)(random); }

inline std::vector<Rank> random_order(Rank ranks, std::mt19937& random) {
  std::vector<Rank> order(ranks);
  std::iota(order.begin(), order.end(), Rank{0});
  std::ranges::shuffle(order, random);
  return order;
}

/// Each rank in turn below one that is there already.
inline Tree random_tree(Rank ranks, std::mt19937& random) {
  const std::vector<Rank> order = random_order(ranks, random);
  Tree tree = root_alone(ranks, order.front());
  const Rank degree = 1 + any_below(4, random);
  for (Rank i = 1; i < ranks; ++i) {
    Rank parent = order[any_below(i, random)];
    while (tree.children[parent].size() >= degree) parent = order[any_below(i, random)];
    add_child(tree, parent, order[i]);
  }
  return tree;
}

/// Trees of a few ranks, the first of each below the first of another.
inline Multicast random_groups(Rank ranks, std::mt19937& random) {
  const std::vector<Rank> order = random_order(ranks, random);
  const Rank many = 1 + any_below(std::min<Rank>(ranks, 5), random);
  Multicast multicast{.confirm = root_alone(ranks, order.front())};
  for (Rank i = 0; i < ranks; ++i) {
    if (i < many) {
      if (i > 0) add_child(multicast.confirm, order[any_below(i, random)], order[i]);
      multicast.groups.push_back({.ranks = {order[i]}, .byte_s = chance(0.5, random) ? part(1e-5, random) : 0.0});
    } else {
      std::vector<Rank>& own = multicast.groups[any_below(many, random)].ranks;
      add_child(multicast.confirm, own[any_below(static_cast<Rank>(own.size()), random)], order[i]);
      own.push_back(order[i]);
    }
  }
  return multicast;
}

/// A random order, cut into a few groups in which ranks send by turn.
inline Multicast random_groups_by_turns(Rank ranks, std::mt19937& random) {
  Multicast multicast{.order = random_order(ranks, random), .at_once = 1 + any_below(ranks, random)};
  const Rank many = 1 + any_below(std::min<Rank>(ranks, 5), random);
  const double boundary = static_cast<double>(many) / ranks;
  for (const Rank rank : multicast.order) {
    if (multicast.groups.empty() || chance(boundary, random)) {
      multicast.groups.push_back({.byte_s = chance(0.5, random) ? part(1e-5, random) : 0.0});
    }
    multicast.groups.back().ranks.push_back(rank);
  }
  return multicast;
}

/// By rank; now and then no datagram reaches a group.
inline std::vector<int> heard_groups(const Multicast& multicast, std::mt19937& random) {
  std::vector<int> group_of(multicast.ranks());
  for (std::size_t number = 0; number < multicast.groups.size(); ++number) {
    const std::vector<Rank>& ranks = multicast.groups[number].ranks;
    const bool is_heard = ranks.size() > 1 && !chance(0.2, random);
    for (const Rank rank : ranks) group_of[rank] = is_heard ? static_cast<int>(number) : -1;
  }
  return group_of;
}

/// Of groups the first of one as often as any.
inline Rank who_gives_up(const Multicast& multicast, std::mt19937& random) {
  const Rank any = any_below(static_cast<Rank>(multicast.ranks()), random);
  if (!multicast.has_groups() || chance(0.5, random)) return any;
  return multicast.groups[any_below(static_cast<Rank>(multicast.groups.size()), random)].ranks.front();
}

inline Weather random_weather(Rank ranks, std::uint32_t burst, std::mt19937& random) {
  Weather weather;
  weather.lost = chance(0.3, random) ? 0.0 : chance(0.8, random) ? part(0.1, random) : part(0.6, random);
  weather.twice = chance(0.5, random) ? part(0.3, random) : 0.0;
  weather.late = chance(0.5, random) ? part(0.3, random) : 0.0;
  weather.room = burst + random() % 64;
  for (Rank rank = 0; rank < ranks; ++rank) {
    weather.deaf.push_back(chance(0.05, random));
    weather.mute.push_back(chance(0.05, random));
  }
  const int hosts = chance(0.7, random) ? static_cast<int>(ranks) : 2;
  for (Rank rank = 0; rank < ranks; ++rank) weather.host.push_back(static_cast<int>(rank) % hosts);
  return weather;
}

/// Seconds, by rank.
inline std::vector<double> random_entries(Rank ranks, std::mt19937& random) {
  std::vector<double> all;
  for (Rank rank = 0; rank < ranks; ++rank)
    all.push_back(chance(0.2, random) ? part(2.0, random) : part(0.001, random));
  return all;
}

}  // namespace trunkline::testing
