// SPDX-License-Identifier: Apache-2.0
// How long trees over large weighted graphs take to lay, beside V log2 V + E; prints JSON. Seconds of the processor,
// best of a few repetitions. Arguments: hosts (100000), edges a host (10), repetitions (3).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string_view>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "weighted_graph/graph.hpp"
#include "weighted_graph/schedule.hpp"

namespace {

using namespace trunkline;

/// A ring through all, and other edges at random; latencies of 0.16 to 16 ms, injection of 0.1 to 10 times their mean.
StoredGraph random_graph(Rank hosts, unsigned edges_a_host) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> decade(-1.0, 1.0);
  std::vector<DirectedEdge> edges;
  edges.reserve(std::size_t{hosts} * edges_a_host);
  std::vector<Rank> receivers;
  for (Rank from = 0; from < hosts; ++from) {
    receivers = {(from + 1) % hosts};
    while (receivers.size() < std::min<std::size_t>(edges_a_host, hosts - 1)) {
      const auto to = static_cast<Rank>(random() % hosts);
      if (to != from && std::ranges::find(receivers, to) == receivers.end()) receivers.push_back(to);
    }
    const double injection_s = 3.4e-3 * std::pow(10.0, decade(random));
    for (const Rank to : receivers) {
      const double weight_s = 1.6e-3 * std::pow(10.0, decade(random));
      edges.push_back({.from = from, .edge = {.to = to, .weight_s = weight_s, .injection_s = injection_s}});
    }
  }
  return {hosts, edges};
}

void report(const StoredGraph& graph, const char* shape, int repetitions, const char* separator) {
  double best_s = 1e9;
  double broadcast_seconds = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    const std::clock_t begin = std::clock();
    const Tree tree = weighted_shape(shape).lay(graph, 0);
    best_s = std::min(best_s, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    broadcast_seconds = broadcast_s(graph, tree);
  }
  const double vertices = graph.size();
  const double steps = vertices * std::log2(vertices) + static_cast<double>(graph.edges());
  std::printf(
      "  {\"shape\": \"%s\", \"hosts\": %u, \"edges\": %zu, \"planning_seconds\": %.6f, \"nanoseconds_a_step\": %.1f, "
      "\"broadcast_seconds\": %.6f}%s\n",
      shape, graph.size(), graph.edges(), best_s, 1e9 * best_s / steps, broadcast_seconds, separator);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto most = static_cast<Rank>(argc > 1 ? std::atoi(argv[1]) : 100'000);
  const auto each = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 10);
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 3;
  if (most < 2 || each < 1 || repetitions < 1) {
    std::fprintf(stderr, "usage: %s [HOSTS [EDGES_A_HOST [REPETITIONS]]]\n", argv[0]);
    return 2;
  }
  std::printf("[\n");
  std::vector<Rank> sizes;
  for (Rank hosts = most; hosts >= 1000; hosts = static_cast<Rank>(hosts / 3.1622776)) sizes.push_back(hosts);
  if (sizes.empty()) sizes.push_back(most);
  for (auto hosts = sizes.rbegin(); hosts != sizes.rend(); ++hosts) {
    const StoredGraph graph = random_graph(*hosts, each);
    const bool last = hosts + 1 == sizes.rend();
    for (const char* const shape : {"wave", "wave-mended", "shortest-paths", "earliest-edge"}) {
      report(graph, shape, repetitions, last && shape == std::string_view("earliest-edge") ? "" : ",");
    }
  }
  std::printf("]\n");
}
