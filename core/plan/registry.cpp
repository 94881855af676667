// SPDX-License-Identifier: Apache-2.0
#include "plan/registry.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "plan/checker.hpp"
#include "plan/shapes/linear.hpp"
#include "plan/shapes/unaware_linear.hpp"

namespace trunkline {

namespace {

using Layer = Tree (*)(const Cluster*, const Placement&, Rank);

struct Entry {
  Algorithm algorithm;
  Layer layer;  ///< null: the MPI library's own
};

Tree lay_linear(const Cluster* cluster, const Placement& placement, Rank root) {
  return linear_tree(*cluster, placement, root);
}

Tree lay_unaware_linear(const Cluster* /*cluster*/, const Placement& placement, Rank root) {
  return unaware_linear_tree(static_cast<Rank>(placement.size()), root);
}

constexpr std::array entries{
    Entry{{.collective = "bcast",
           .name = "native",
           .description = "the MPI library's own algorithm",
           .restrictions = "",
           .cost = "the library's",
           .needs_cluster = false},
          nullptr},
    Entry{{.collective = "bcast",
           .name = "linear",
           .description = "contention-free pipelined line, depth first over the switches (Algorithm 1)",
           .restrictions = "tree cluster, or the spanning tree of another",
           .cost = "(X + P - 2) T(m/X)",
           .needs_cluster = true},
          lay_linear},
    Entry{{.collective = "bcast",
           .name = "unaware-linear",
           .description = "pipelined line in rank order, blind to the network",
           .restrictions = "",
           .cost = "(X + P - 2) T(m/X), times the largest channel load",
           .needs_cluster = false},
          lay_unaware_linear},
};

constexpr auto table = [] {
  std::array<Algorithm, entries.size()> algorithms{};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    algorithms[i] = entries[i].algorithm;
  }
  return algorithms;
}();

}  // namespace

std::span<const Algorithm> algorithms() { return table; }

std::optional<Algorithm> find_algorithm(std::string_view collective, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.name == name;
  });
  return found == table.end() ? std::nullopt : std::optional(*found);
}

Tree lay(std::string_view collective, std::string_view name, const Cluster* cluster, const Placement& placement,
         Rank root) {
  for (const Entry& entry : entries) {
    if (entry.algorithm.collective != collective || entry.algorithm.name != name) {
      continue;
    }
    if (entry.layer == nullptr) {
      throw std::invalid_argument(std::string(name) + " is the MPI library's own algorithm; it has no plan");
    }
    if (entry.algorithm.needs_cluster && cluster == nullptr) {
      throw std::invalid_argument(std::string(name) + " needs a cluster to be laid over");
    }
    Tree tree = entry.layer(cluster, placement, root);
    check_tree(tree);
    return tree;
  }
  throw std::invalid_argument("no algorithm " + std::string(name) + " for " + std::string(collective));
}

}  // namespace trunkline
