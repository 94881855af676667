// SPDX-License-Identifier: Apache-2.0
#include "patterns/arborescences.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trunkline {
namespace {

using Arcs = std::vector<std::uint32_t>;

/// All sites can be reached from the root, by arcs of few rates; each has a channel of its own, unless some are shared.
SiteGraph random_graph(bool shares_channels) {
  SiteGraph graph{.sites = *rc::gen::inRange(2U, 5U), .rates = {}, .arcs = {}};
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    graph.arcs.push_back({.from = from, .to = to, .latency_s = 1e-3 * *rc::gen::inRange(1, 9)});
    if (shares_channels && !graph.rates.empty() && *rc::gen::arbitrary<bool>()) {
      graph.arcs.back().channels.push_back(*rc::gen::inRange(0U, static_cast<std::uint32_t>(graph.rates.size())));
      if (*rc::gen::arbitrary<bool>()) return;
    }
    graph.arcs.back().channels.push_back(static_cast<std::uint32_t>(graph.rates.size()));
    graph.rates.push_back(*rc::gen::element(10.0, 20.0, 25.0, 100.0));
  };
  for (std::uint32_t site = 1; site < graph.sites; ++site) add(*rc::gen::inRange(0U, site), site);
  for (int more = *rc::gen::inRange(0, 6); more > 0; --more) {
    const auto from = *rc::gen::inRange(0U, graph.sites);
    add(from, (from + *rc::gen::inRange(1U, graph.sites)) % graph.sites);
  }
  return graph;
}

bool reaches_all(const SiteGraph& graph, std::uint32_t root, const Arcs& arcs) {
  std::set<std::uint32_t> reached{root};
  for (std::size_t pass = 0; pass < graph.sites; ++pass) {
    for (const std::uint32_t arc : arcs) {
      if (reached.contains(graph.arcs[arc].from)) reached.insert(graph.arcs[arc].to);
    }
  }
  return reached.size() == graph.sites;
}

/// Every choice of one arc into each site but the root that reaches all of them.
std::vector<Arcs> all_arborescences(const SiteGraph& graph, std::uint32_t root) {
  std::vector<Arcs> chosen{{}};
  for (std::uint32_t site = 0; site < graph.sites; ++site) {
    if (site == root) continue;
    std::vector<Arcs> more;
    for (const Arcs& arcs : chosen) {
      for (std::uint32_t arc = 0; arc < graph.arcs.size(); ++arc) {
        if (graph.arcs[arc].to != site) continue;
        more.push_back(arcs);
        more.back().push_back(arc);
      }
    }
    chosen = std::move(more);
  }
  std::erase_if(chosen, [&](const Arcs& arcs) { return !reaches_all(graph, root, arcs); });
  return chosen;
}

/// Until the fullest channel is full.
double rate_of(const SiteGraph& graph, const std::vector<Arcs>& trees) {
  std::vector<double> load(graph.rates.size(), 0.0);
  for (const Arcs& arcs : trees) {
    for (const std::uint32_t arc : arcs) {
      for (const std::uint32_t channel : graph.arcs[arc].channels) load[channel] += 1.0;
    }
  }
  double longest_s = 0.0;
  for (std::size_t channel = 0; channel < load.size(); ++channel) {
    longest_s = std::max(longest_s, load[channel] / graph.rates[channel]);
  }
  return static_cast<double>(trees.size()) / longest_s;
}

/// The most that so many trees carry, each any of those that there are.
double best_rate(const SiteGraph& graph, const std::vector<Arcs>& all, std::size_t many, std::vector<Arcs>& taken,
                 std::size_t from = 0) {
  if (taken.size() == many) return rate_of(graph, taken);
  double best = 0.0;
  for (std::size_t tree = from; tree < all.size(); ++tree) {
    taken.push_back(all[tree]);
    best = std::max(best, best_rate(graph, all, many, taken, tree));
    taken.pop_back();
  }
  return best;
}

double best_rate(const SiteGraph& graph, std::uint32_t root, std::size_t many) {
  std::vector<Arcs> taken;
  return best_rate(graph, all_arborescences(graph, root), many, taken);
}

/// By trying all sets of sites that the root is not in.
double least_cut(const SiteGraph& graph, std::uint32_t root) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t beyond = 1; beyond < (1U << graph.sites); ++beyond) {
    const auto is_beyond = [&](std::uint32_t site) { return (beyond >> site & 1U) != 0; };
    if (is_beyond(root)) continue;
    double cut = 0.0;
    for (const SiteGraph::Arc& arc : graph.arcs) {
      if (!is_beyond(arc.from) && is_beyond(arc.to)) cut += graph.rates[arc.channels.front()];
    }
    least = std::min(least, cut);
  }
  return least;
}

constexpr double any_rate = 1e9;
constexpr double rounding = 1e-6;

RC_GTEST_PROP(Arborescences, CarryAsMuchAsAnySoManyTrees, ()) {
  const SiteGraph graph = random_graph(false);
  constexpr std::size_t most_trees = 3;
  const Packing packing = pack_arborescences(graph, 0, most_trees, any_rate);
  RC_ASSERT(!packing.trees.empty());
  for (const Arcs& arcs : packing.trees) {
    RC_ASSERT(arcs.size() == graph.sites - 1);
    RC_ASSERT(reaches_all(graph, 0, arcs));
  }
  RC_ASSERT(packing.rate <= rate_of(graph, packing.trees) + rounding);
  RC_ASSERT(packing.rate >= best_rate(graph, 0, packing.trees.size()) - rounding);
  for (std::size_t many = 1; many <= most_trees; ++many) {
    RC_ASSERT(packing.rate * 1.05 >= best_rate(graph, 0, many) - rounding);
  }
  RC_ASSERT(packing.rate <= most_rate(graph, 0) + rounding);
}

RC_GTEST_PROP(Arborescences, NoTreesCarryMoreThanTheLeastCut, ()) {
  const SiteGraph graph = random_graph(false);
  RC_ASSERT(most_rate(graph, 0) > 0.0);
  RC_ASSERT(std::abs(most_rate(graph, 0) - least_cut(graph, 0)) < rounding);
}

RC_GTEST_PROP(Arborescences, CarryWhatTheySayWhereArcsShareChannels, ()) {
  const SiteGraph graph = random_graph(true);
  const Packing packing = pack_arborescences(graph, 0, 4, any_rate);
  for (const Arcs& arcs : packing.trees) RC_ASSERT(reaches_all(graph, 0, arcs));
  if (!packing.trees.empty()) RC_ASSERT(packing.rate <= rate_of(graph, packing.trees) + rounding);
  // One tree is found wherever there is one: some time lets every arc be crossed by it.
  RC_ASSERT(packing.trees.empty() == all_arborescences(graph, 0).empty());
}

SiteGraph ring(std::uint32_t sites) {
  SiteGraph graph{.sites = sites, .rates = {}, .arcs = {}};
  for (std::uint32_t site = 0; site < sites; ++site) {
    for (const auto& [from, to] : {std::pair(site, (site + 1) % sites), std::pair((site + 1) % sites, site)}) {
      graph.arcs.push_back(
          {.from = from, .to = to, .latency_s = 1e-3, .channels = {std::uint32_t(graph.rates.size())}});
      graph.rates.push_back(50.0);
    }
  }
  return graph;
}

TEST(Arborescences, GoRoundARingBothWays) {
  for (const std::uint32_t sites : {3U, 4U, 7U, 16U}) {
    const Packing packing = pack_arborescences(ring(sites), 1, 8, any_rate);
    EXPECT_EQ(packing.trees.size(), 2U);
    EXPECT_DOUBLE_EQ(packing.rate, 100.0);
  }
}

TEST(Arborescences, ShareOutUnlikeLinksByTheirRates) {
  const SiteGraph graph{.sites = 2,
                        .rates = {60.0, 20.0},
                        .arcs = {{.from = 0, .to = 1, .latency_s = 2e-3, .channels = {0}},
                                 {.from = 0, .to = 1, .latency_s = 1e-3, .channels = {1}}}};
  const Packing packing = pack_arborescences(graph, 0, 8, any_rate);
  EXPECT_DOUBLE_EQ(packing.rate, 80.0);
  EXPECT_EQ(packing.trees.size(), 4U);
  EXPECT_EQ(std::ranges::count(packing.trees, Arcs{0}), 3);
  EXPECT_EQ(std::ranges::count(packing.trees, Arcs{1}), 1);
}

TEST(Arborescences, AreNoMoreThanIsEnough) {
  EXPECT_EQ(pack_arborescences(ring(5), 0, 8, 50.0).trees.size(), 1U);
  EXPECT_EQ(pack_arborescences(ring(5), 0, 1, any_rate).trees.size(), 1U);
}

TEST(Arborescences, TakeTheShortestWayOfThoseThatAreFastEnough) {
  SiteGraph graph = ring(4);
  graph.arcs[0].latency_s = 9e-3;  // from 0 to 1: the other way round there takes 3 ms
  const Packing packing = pack_arborescences(graph, 0, 1, any_rate);
  EXPECT_EQ(std::ranges::count(packing.trees.front(), 0U), 0);
}

TEST(Arborescences, AreNoneWhereASiteCannotBeReached) {
  const SiteGraph graph{.sites = 2, .rates = {1.0}, .arcs = {{.from = 1, .to = 0, .channels = {0}}}};
  EXPECT_TRUE(pack_arborescences(graph, 0, 8, any_rate).trees.empty());
  EXPECT_EQ(most_rate(graph, 0), 0.0);
}

TEST(Arborescences, RefuseWhatIsNotThere) {
  SiteGraph graph = ring(3);
  EXPECT_THROW(static_cast<void>(most_rate(graph, 3)), std::invalid_argument);
  graph.arcs[0].channels = {6};
  EXPECT_THROW(static_cast<void>(most_rate(graph, 0)), std::invalid_argument);
  graph = ring(3);
  graph.rates[0] = 0.0;
  EXPECT_THROW(static_cast<void>(pack_arborescences(graph, 0, 8, 1.0)), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline
