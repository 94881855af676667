// SPDX-License-Identifier: Apache-2.0
// One call, drawn from a seed: its cluster, plan, data and weather, who is late and who fails.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../programs/rehearsal.hpp"
#include "../programs/trial.hpp"
#include "algorithms/registry.hpp"
#include "kinds/multicast/multicast.hpp"
#include "network/cluster.hpp"
#include "plan/checker.hpp"

namespace trunkline::testing {

struct DrawnCall {
  std::uint32_t seed = 0;
  std::string plan_name{};
  Trial trial{};
  std::vector<int> host{};  ///< by rank
  bool has_datagrams = false;
  bool by_arrival = false;
  Weather weather{};
  std::uint32_t payload_bytes = 0;
  std::uint32_t burst = 0;
  std::uint32_t eager_packets = 0;
  double longest_way_s = 0.0;
  std::vector<double> enters_at{};  ///< by rank
  std::vector<bool> steps{};        ///< by rank: it makes steps, and is not in one run
  int fails = -1;                   ///< rank; -1: none
  unsigned fails_after = 0;         ///< calls to its transport

  [[nodiscard]] std::string text() const {
    std::string all = std::string(facts_of(trial.collective).name) + " by " + plan_name + ", " +
                      std::to_string(trial.ranks) + " ranks, hosts";
    for (const int one : host) all += " " + std::to_string(one);
    if (has_datagrams) {
      all += ", packets of " + std::to_string(payload_bytes) + ", burst " + std::to_string(burst) + ", eager " +
             std::to_string(eager_packets) + ", lost " + std::to_string(weather.lost);
    }
    if (by_arrival) all += ", by arrival";
    if (fails >= 0) all += ", rank " + std::to_string(fails) + " fails";
    return all;
  }
};

/// Of element_kinds() and the maps after them.
inline constexpr std::size_t maps_kind = 4;

/// Draws the parts of a call one after another.
class Draw {
 public:
  explicit Draw(std::uint32_t seed, std::mt19937& random) : random_(random) { call_.seed = seed; }

  DrawnCall make() {
    const std::uint64_t way = below(random_, 100);
    if (way < 45) {
      by_algorithm();
    } else if (way < 60) {
      by_random_rounds();
    } else {
      by_random_multicast();
    }
    in_rank_order_perhaps();
    draw_times();
    return std::move(call_);
  }

 private:
  /// Long messages seldom: most faults need a few segments alone.
  static constexpr std::array<std::uint64_t, 12> lengths{1, 1, 3, 3, 8, 8, 25, 25, 60, 60, 200, 600};
  static constexpr std::uint64_t most_segments = 24;

  Rank any_ranks(Rank most) { return static_cast<Rank>(2 + below(random_, most - 1)); }

  void draw_trial(Collective collective, Rank ranks) {
    call_.trial = random_trial(collective, ranks, static_cast<int>(call_.seed % 9973), random_, lengths);
    std::uint64_t most = 1;
    for (const MPI_Count share : call_.trial.shares) most += static_cast<std::uint64_t>(share);
    call_.trial.segment = std::max(call_.trial.segment, most * sizeof(int) / most_segments);
    call_.trial.late = -1;
  }

  /// Some switches below one, with hosts of any number of ranks, in any order or host by host.
  void by_algorithm() {
    const auto all = algorithms();
    const Algorithm* algorithm = nullptr;
    do {
      algorithm = &all[below(random_, all.size())];
    } while (algorithm->is_native());
    const Rank ranks = any_ranks(chance(0.1, random_) ? 20 : 13);
    draw_trial(algorithm->collective, ranks);
    const auto hosts = static_cast<HostIndex>(1 + below(random_, ranks));
    Placement placement;
    for (Rank rank = 0; rank < ranks; ++rank) placement.push_back(static_cast<HostIndex>(below(random_, hosts)));
    if (chance(0.5, random_)) std::ranges::sort(placement);
    const Cluster cluster = random_cluster(hosts);
    call_.trial.plan =
        lay(algorithm->collective, algorithm->name, &cluster, placement, call_.trial.root, usual_message_bytes);
    call_.plan_name = algorithm->name;
    call_.host.assign(placement.begin(), placement.end());
    call_.by_arrival = chance(0.5, random_);
    if (const Multicast* const multicast = find_multicast(call_.trial.plan)) draw_datagrams(*multicast);
  }

  Cluster random_cluster(HostIndex hosts) {
    constexpr double mbit = 1e6;
    Cluster::Parts parts{.name = "seeded", .description = "", .nodes = {{"s0", NodeKind::network_switch}}, .links = {}};
    const auto switches = static_cast<NodeId>(1 + below(random_, 3));
    for (NodeId id = 1; id < switches; ++id) {
      parts.nodes.push_back({"s" + std::to_string(id), NodeKind::network_switch});
      parts.links.push_back({0, id, 1000 * mbit, chance(0.3, random_) ? 5e-3 : 10e-6});
    }
    for (HostIndex host = 0; host < hosts; ++host) {
      parts.links.push_back({static_cast<NodeId>(below(random_, switches)), static_cast<NodeId>(parts.nodes.size()),
                             chance(0.7, random_) ? 1000 * mbit : 100 * mbit, 10e-6});
      parts.nodes.push_back({"h" + std::to_string(host), NodeKind::host});
    }
    return Cluster(std::move(parts));
  }

  void by_random_rounds() {
    const auto all = collectives();
    const CollectiveFacts& facts = all[below(random_, all.size())];
    const Rank ranks = any_ranks(chance(0.1, random_) ? 6 : 4);
    draw_trial(facts.collective, ranks);
    call_.trial.plan = random_plan(facts.collective, ranks, call_.trial.root, random_);
    call_.plan_name = "random rounds";
    draw_hosts();
  }

  void by_random_multicast() {
    const Rank ranks = any_ranks(13);
    const std::uint64_t what = below(random_, 4);
    draw_trial(what == 1 ? Collective::allreduce : what == 2 ? Collective::allgatherv : Collective::bcast, ranks);
    Multicast multicast;
    const bool has_groups = chance(0.5, random_);
    if (what == 2) {
      multicast = has_groups
                      ? random_groups_by_turns(ranks, random_)
                      : Multicast{.order = random_order(ranks, random_), .at_once = 1 + any_below(ranks, random_)};
    } else {
      multicast = has_groups ? random_groups(ranks, random_) : Multicast{.confirm = random_tree(ranks, random_)};
      if (what == 1 && !has_groups) add_reduce_trees(multicast);
    }
    if (!has_groups && chance(0.5, random_)) multicast.byte_s = part(1e-5, random_);
    call_.trial.root = multicast.root();
    call_.trial.plan = plan_of(multicast);
    check_plan(call_.trial.plan, call_.trial.collective);
    call_.plan_name = "random multicast";
    draw_hosts();
    draw_datagrams(multicast);
  }

  void add_reduce_trees(Multicast& multicast) {
    for (std::uint32_t trees = any_below(3, random_); trees > 0; --trees) {
      Tree tree = random_tree(static_cast<Rank>(multicast.ranks()), random_);
      while (tree.root != multicast.confirm.root) tree = random_tree(static_cast<Rank>(multicast.ranks()), random_);
      multicast.reduce.push_back(std::move(tree));
    }
  }

  void draw_hosts() {
    const std::uint64_t hosts = chance(0.4, random_) ? call_.trial.ranks : 1 + below(random_, call_.trial.ranks);
    for (Rank rank = 0; rank < call_.trial.ranks; ++rank) call_.host.push_back(static_cast<int>(below(random_, hosts)));
  }

  void draw_datagrams(const Multicast& multicast) {
    if (chance(0.1, random_)) return;
    call_.has_datagrams = true;
    call_.payload_bytes = 16 + any_below(112, random_);
    call_.burst = 1 + any_below(chance(0.5, random_) ? 12 : 100, random_);
    call_.eager_packets = chance(0.5, random_) ? 8 : 0;
    call_.weather = random_weather(call_.trial.ranks, call_.burst, random_);
    if (chance(0.8, random_)) call_.weather.lost = std::min(call_.weather.lost, 0.1);
    call_.weather.host = call_.host;
    if (multicast.has_groups()) call_.weather.group = heard_groups(multicast, random_);
    call_.weather.agreed_lost = chance(0.5, random_)   ? 0.0
                                : chance(0.7, random_) ? call_.weather.lost
                                                       : part(0.7, random_);
  }

  /// Where the plan can: with an operation that does not commute.
  void in_rank_order_perhaps() {
    const Trial& trial = call_.trial;
    const CollectiveFacts& facts = facts_of(trial.collective);
    const bool may = facts.has_operand_order() && !facts.goes_by_shares();
    if (!may || chance(0.4, random_) || !(facts.makes_prefixes() || trial.plan.steps().keeps_rank_order())) return;
    call_.trial.kind = maps_kind;
    call_.by_arrival = false;
  }

  void draw_times() {
    const Rank ranks = call_.trial.ranks;
    call_.longest_way_s = chance(0.5, random_) ? 20e-6 : chance(0.7, random_) ? 200e-6 : 3e-3;
    const double latest = chance(0.8, random_) ? 300e-6 : chance(0.8, random_) ? 10e-3 : 0.5;
    for (Rank rank = 0; rank < ranks; ++rank) {
      call_.enters_at.push_back(part(chance(0.8, random_) ? 50e-6 : latest, random_));
      call_.steps.push_back(chance(0.4, random_));
    }
    if (chance(0.15, random_)) draw_failure();
  }

  /// At the beginning, in the middle, or once it has waited for long. As often as any a rank that hears no datagram: it
  /// is served in ways of its own.
  void draw_failure() {
    call_.fails = static_cast<int>(below(random_, call_.trial.ranks));
    for (Rank rank = 0; rank < call_.weather.deaf.size(); ++rank) {
      if (call_.weather.deaf[rank] && chance(0.5, random_)) call_.fails = static_cast<int>(rank);
    }
    constexpr std::array<std::uint64_t, 3> latest{4, 40, 4000};
    call_.fails_after = static_cast<unsigned>(below(random_, latest[below(random_, latest.size())]));
  }

  std::mt19937& random_;
  DrawnCall call_{};
};

}  // namespace trunkline::testing
