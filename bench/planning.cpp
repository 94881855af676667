// SPDX-License-Identifier: Apache-2.0
// How long planning one root takes on large clusters, stage by stage, and what is kept of it; prints JSON. Seconds of
// the processor, best of a few repetitions. Arguments: ranks (4096), repetitions (3).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/registry.hpp"
#include "algorithms/trees/linear.hpp"
#include "choose/choose.hpp"
#include "kinds/trees/trees.hpp"
#include "network/cluster.hpp"
#include "plan/checker.hpp"
#include "plan/tree_costs.hpp"

namespace {

using namespace trunkline;

enum class Shape : std::uint8_t { star, line, random, three_levels };

struct Network {
  Shape shape;
  NodeId switches;
  NodeId hosts;
  bool dealt;  ///< hosts one by one over all switches; else in blocks
};

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::star:
      return "star";
    case Shape::line:
      return "line";
    case Shape::random:
      return "random";
    case Shape::three_levels:
      break;
  }
  return "three-levels";
}

NodeId switch_above(Shape shape, NodeId id, std::mt19937& random) {
  switch (shape) {
    case Shape::star:
      return 0;
    case Shape::line:
      return id - 1;
    case Shape::random:
      return static_cast<NodeId>(random() % id);
    case Shape::three_levels:
      break;
  }
  return (id - 1) / 32;
}

Cluster made(const Network& network) {
  Cluster::Parts parts{.name = name_of(network.shape), .description = "", .nodes = {}, .links = {}};
  std::mt19937 random(1);
  for (NodeId id = 0; id < network.switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id == 0) continue;
    parts.links.push_back({.a = switch_above(network.shape, id, random), .b = id, .rate_bps = 1e10, .latency_s = 1e-6});
  }
  const NodeId each = std::max<NodeId>(1, network.hosts / network.switches);
  for (NodeId host = 0; host < network.hosts; ++host) {
    const NodeId above = network.dealt ? host % network.switches : std::min(host / each, network.switches - 1);
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    parts.links.push_back({.a = network.switches + host, .b = above, .rate_bps = 1e10, .latency_s = 1e-6});
  }
  return Cluster(std::move(parts));
}

template <typename Work>
double best_seconds(int repetitions, Work work) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const std::clock_t begin = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

/// On average over sizes from 2 KiB to 32 MiB, one after another.
template <typename Choose>
double seconds_a_choice(Choose choose) {
  constexpr int rounds = 1000;
  std::uint64_t segments = 0;
  const double all_s = best_seconds(1, [&] {
    for (int round = 0; round < rounds; ++round) {
      for (std::uint64_t bytes = 1U << 11U; bytes <= 1U << 25U; bytes *= 2) segments += choose(bytes).segment_bytes;
    }
  });
  return segments == 1 ? 0.0 : all_s / (rounds * 15);  // what is chosen is used
}

std::size_t kept_bytes(const TreeCosts& costs) {
  return costs.latest.capacity() * sizeof costs.latest[0] + costs.busiest.capacity() * sizeof costs.busiest[0];
}

std::size_t kept_bytes(const Alternatives& facts) {
  std::size_t bytes = sizeof facts + facts.laid.capacity() * sizeof facts.laid[0];
  for (const auto& one : facts.laid) {
    if (const auto* const trees = dynamic_cast<const TreeCosts*>(&*one.costs)) bytes += kept_bytes(*trees);
  }
  return bytes;
}

/// The stages of alternatives_of() one by one, then the whole for each library.
void report_root(const Network& network, bool shuffled, int repetitions, const char* separator) {
  const Cluster cluster = made(network);
  Placement placement = block_placement(cluster, 1);
  std::mt19937 random(2);
  if (shuffled) std::ranges::shuffle(placement, random);
  const Rank root = network.hosts / 2;
  std::printf("  {\"cluster\": \"%s\", \"switches\": %u, \"ranks\": %u, \"placement\": \"%s\"", name_of(network.shape),
              network.switches, network.hosts, shuffled ? "shuffled" : "blocks");
  for (const char* const name : {"linear", "two-tree", "binary", "3-ary"}) {
    std::vector<Tree> trees;
    const double laid_s =
        best_seconds(repetitions, [&] { trees = lay_trees(Collective::bcast, name, &cluster, placement, root); });
    TreeCosts costs;
    const double costs_s = best_seconds(repetitions, [&] { costs = tree_costs(Paths(cluster), placement, trees); });
    std::printf(", \"%s_seconds\": %.6f, \"%s_costs_seconds\": %.6f, \"%s_bytes\": %zu", name, laid_s, name, costs_s,
                name, kept_bytes(costs));
  }
  for (const auto library : {NativeLibrary::mpich, NativeLibrary::openmpi}) {
    const char* const text = library == NativeLibrary::mpich ? "mpich" : "openmpi";
    const Paths paths(cluster);
    const double native_s = best_seconds(repetitions, [&] {
      const auto native = native_times(paths, placement, Collective::bcast, root, library, usual_host_costs());
      for (std::uint64_t bytes = 1U << 10U; bytes <= 1U << 20U; bytes *= 2) static_cast<void>(native->seconds(bytes));
    });
    Alternatives facts;
    const double facts_s = best_seconds(
        repetitions, [&] { facts = alternatives_of(Collective::bcast, cluster, placement, root, library); });
    const double choice_s = seconds_a_choice([&](std::uint64_t bytes) { return choose(facts, bytes); });
    const double quick_s = seconds_a_choice([&](std::uint64_t bytes) { return pick(facts, bytes); });
    std::printf(", \"%s_seconds\": %.6f, \"%s_facts_seconds\": %.6f, \"%s_choice_seconds\": %.9f, ", text, native_s,
                text, facts_s, text, choice_s);
    std::printf("\"%s_quick_choice_seconds\": %.9f, \"%s_kept_bytes\": %zu", text, quick_s, text, kept_bytes(facts));
  }
  std::printf("}%s\n", separator);
  std::fflush(stdout);
}

/// The line alone, and its check, on more hosts than anything else is planned for.
void report_line(Shape shape, int repetitions, const char* separator) {
  constexpr NodeId hosts = 100'000;
  const Network network{.shape = shape, .switches = 1000, .hosts = hosts, .dealt = true};
  const Cluster cluster = made(network);
  const Placement placement = block_placement(cluster, 1);
  Tree tree;
  Contention contention;
  const double planning = best_seconds(repetitions, [&] { tree = linear_tree(cluster, placement, hosts / 2); });
  const double checking = best_seconds(repetitions, [&] {
    check_tree(tree);
    contention = contention_of(cluster, placement, tree);
  });
  std::printf(
      "  {\"cluster\": \"%s\", \"switches\": %u, \"ranks\": %u, \"planning_seconds\": %.6f, \"checking_seconds\": "
      "%.6f, \"max_channel_load\": %u}%s\n",
      name_of(shape), network.switches, hosts, planning, checking, contention.max_channel_load, separator);
}

}  // namespace

int main(int argc, char** argv) {
  const auto ranks = static_cast<NodeId>(argc > 1 ? std::atoi(argv[1]) : 4096);
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 3;
  if (ranks < 1 || repetitions < 1) {
    std::fprintf(stderr, "usage: %s [RANKS [REPETITIONS]]\n", argv[0]);
    return 2;
  }
  std::printf("[\n");
  for (const Shape shape : {Shape::star, Shape::line, Shape::random}) {
    for (const NodeId each : {1U, 2U, 4U, 8U, 32U, 256U, 4096U}) {
      const NodeId switches = std::max<NodeId>(1, ranks / each);
      for (const bool shuffled : {false, true}) {
        report_root({.shape = shape, .switches = switches, .hosts = ranks, .dealt = false}, shuffled, repetitions, ",");
      }
    }
  }
  report_line(Shape::three_levels, repetitions, ",");
  report_line(Shape::line, repetitions, "");
  std::printf("]\n");
}
