// SPDX-License-Identifier: Apache-2.0
#include "algorithms/round_factories.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "algorithms/rounds/dealt.hpp"
#include "algorithms/rounds/generators.hpp"
#include "algorithms/rounds/nested_groups.hpp"
#include "algorithms/rounds/pair_phases.hpp"
#include "algorithms/rounds/pair_ring.hpp"
#include "algorithms/rounds/pairs_by_hosts.hpp"
#include "algorithms/trees/linear.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "plan/checker.hpp"

namespace trunkline {

Plan lay_by_rank_number(const Ground& on) {
  check_root(on.ranks(), on.root);
  return plan_of(generate_rounds(on.generator, by_number(on.ranks(), on.root)));
}

Plan lay_from_rank_0(const Ground& on) { return plan_of(generate_rounds(on.generator, by_number(on.ranks(), 0))); }

Plan lay_depth_first(const Ground& on) {
  return plan_of(generate_rounds(on.generator, depth_first_order(*on.cluster, on.placement, on.root)));
}

Plan lay_dealt(const Ground& on) {
  return plan_of(generate_rounds(on.generator, dealt(depth_first_order(*on.cluster, on.placement, on.root))));
}

Plan lay_in_nested_groups(const Ground& on) {
  std::vector<Rank> order = depth_first_order(*on.cluster, on.placement, on.root);
  const std::vector<Rank> levels = nested_groups(*on.cluster, on.placement, order).levels;
  return plan_of(generate_rounds(with_groups(levels, on.generator), std::move(order)));
}

Plan lay_in_parts(const Ground& on) {
  std::vector<Rank> order = depth_first_order(*on.cluster, on.placement, on.root);
  const NestedGroups groups = nested_groups(*on.cluster, on.placement, order);
  std::vector<Rank> levels = groups.levels;
  if (groups.of_hosts == 1 || levels.empty()) levels.insert(levels.begin(), groups.of_hosts);
  if (levels.size() > most_levels) levels.resize(most_levels);
  return plan_of(generate_rounds(with_groups(levels, on.generator), std::move(order)));
}

Plan lay_pair_phases(const Ground& on) {
  const std::uint64_t ranks = on.ranks();
  RoundList list{.blocks = ranks * ranks, .lead = pair_lead};
  const auto position = [&](Rank rank) { return (rank + ranks - on.root) % ranks; };
  const std::vector<Rank> order = depth_first_order(*on.cluster, on.placement, on.root);
  for (const PairRound& round : pair_phases(*on.cluster, on.placement, order)) {
    std::vector<Transfer>& transfers = list.rounds.emplace_back();
    for (const auto& [from, to] : round) {
      transfers.push_back({.from = from, .to = to, .first = position(from) * ranks + position(to)});
    }
  }
  return plan_of(listed_rounds(on.ranks(), on.root, list));
}

Plan lay_pairs_by_hosts(const Ground& on) {
  std::vector<Rank> order = depth_first_order(*on.cluster, on.placement, on.root);
  const RoundList list = pairs_by_hosts(on.placement, order);
  return plan_of(listed_rounds(std::move(order), list));
}

Plan lay_in_lanes(const Ground& on) {
  std::vector<Rank> order = depth_first_order(*on.cluster, on.placement, on.root);
  const Rank lanes = nested_groups(*on.cluster, on.placement, order).of_hosts;
  return plan_of(generate_rounds(with_groups({&lanes, 1}, on.generator), std::move(order)));
}

Plan lay_lane_radix(const Ground& on) {
  std::vector<Rank> order = depth_first_order(*on.cluster, on.placement, on.root);
  const Rank lanes = nested_groups(*on.cluster, on.placement, order).of_hosts;
  if (lanes < 3) return plan_of(generate_rounds("recursive-doubling", std::move(order)));
  const std::array groups{lanes, std::min(lanes, Rank{on.k})};
  return plan_of(generate_rounds(with_groups(groups, on.generator), std::move(order)));
}

}  // namespace trunkline
