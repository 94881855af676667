// SPDX-License-Identifier: Apache-2.0
// How long it takes to lay the line over a large cluster and to check it; prints JSON, best of a few repetitions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "cluster/cluster.hpp"
#include "plan/checker.hpp"
#include "plan/shapes/linear.hpp"

namespace {

using namespace trunkline;

constexpr NodeId switches = 1000;
constexpr NodeId hosts = 100'000;
constexpr int repetitions = 5;

/// A three-level tree of switches, 32 below each, or a line of them; hosts dealt one by one over all switches.
Cluster large_cluster(bool line) {
  Cluster::Parts parts{.name = line ? "line" : "tree", .description = "", .nodes = {}, .links = {}};
  for (NodeId id = 0; id < switches; ++id) {
    parts.nodes.push_back({.name = "s" + std::to_string(id), .kind = NodeKind::network_switch});
    if (id > 0) {
      parts.links.push_back({.a = line ? id - 1 : (id - 1) / 32, .b = id, .rate_bps = 1e10});
    }
  }
  for (NodeId host = 0; host < hosts; ++host) {
    parts.nodes.push_back({.name = "h" + std::to_string(host), .kind = NodeKind::host});
    parts.links.push_back({.a = switches + host, .b = host % switches, .rate_bps = 1e10});
  }
  return Cluster(std::move(parts));
}

template <typename Work>
double best_seconds(Work work) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void report(bool line, const char* separator) {
  const Cluster cluster = large_cluster(line);
  const Placement placement = block_placement(cluster, 1);
  Tree tree;
  Contention contention;
  const double planning = best_seconds([&] { tree = linear_tree(cluster, placement, hosts / 2); });
  const double checking = best_seconds([&] {
    check_tree(tree);
    contention = contention_of(cluster, placement, tree);
  });
  std::printf(
      "  {\"cluster\": \"%s\", \"switches\": %u, \"ranks\": %u, \"planning_seconds\": %.6f, \"checking_seconds\": "
      "%.6f, "
      "\"max_channel_load\": %u, \"repetitions\": %d}%s\n",
      cluster.name().c_str(), switches, hosts, planning, checking, contention.max_channel_load, repetitions, separator);
}

}  // namespace

int main() {
  std::printf("[\n");
  report(false, ",");
  report(true, "");
  std::printf("]\n");
}
