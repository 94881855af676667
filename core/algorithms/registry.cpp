// SPDX-License-Identifier: Apache-2.0
#include "algorithms/registry.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "algorithms/flat.hpp"
#include "algorithms/k_ary.hpp"
#include "algorithms/k_nomial.hpp"
#include "algorithms/linear.hpp"
#include "algorithms/two_tree.hpp"
#include "algorithms/unaware_k_ary.hpp"
#include "algorithms/unaware_linear.hpp"
#include "plan/checker.hpp"

namespace trunkline {

namespace {

using Trees = std::vector<Tree>;
using Layer = Trees (*)(const Cluster*, const Placement&, Rank, unsigned);

struct Entry {
  Algorithm algorithm;
  Layer layer;     ///< null: no tree
  unsigned k = 0;  ///< handed to the layer
};

Rank ranks_of(const Placement& placement) { return static_cast<Rank>(placement.size()); }

Trees lay_linear(const Cluster* cluster, const Placement& placement, Rank root, unsigned /*k*/) {
  return {linear_tree(*cluster, placement, root)};
}

Trees lay_k_ary(const Cluster* cluster, const Placement& placement, Rank root, unsigned k) {
  return {k_ary_tree(*cluster, placement, root, k)};
}

Trees lay_flat(const Cluster* /*cluster*/, const Placement& placement, Rank root, unsigned /*k*/) {
  return {flat_tree(ranks_of(placement), root)};
}

Trees lay_k_nomial(const Cluster* /*cluster*/, const Placement& placement, Rank root, unsigned k) {
  return {k_nomial_tree(ranks_of(placement), root, k)};
}

Trees lay_unaware_linear(const Cluster* /*cluster*/, const Placement& placement, Rank root, unsigned /*k*/) {
  return {unaware_linear_tree(ranks_of(placement), root)};
}

Trees lay_unaware_k_ary(const Cluster* /*cluster*/, const Placement& placement, Rank root, unsigned k) {
  return {unaware_k_ary_tree(ranks_of(placement), root, k)};
}

Trees lay_two_tree(const Cluster* cluster, const Placement& placement, Rank root, unsigned /*k*/) {
  const auto both = two_tree(*cluster, placement, root);
  return {both.begin(), both.end()};
}

constexpr std::string_view trees_only = "tree cluster, or the spanning tree of another";

constexpr Entry k_ary(std::string_view name, unsigned k) {
  return {{.collective = "bcast",
           .name = name,
           .description = k == 2 ? "contention-free pipelined binary tree of small height (Algorithm 2 and better)"
                                 : "contention-free pipelined K-ary tree of small height",
           .restrictions = trees_only,
           .cost = k == 2 ? "2 (X + H - 1) T(m/X)" : "K (X + H - 1) T(m/X)",
           .needs_cluster = true,
           .trees = 1,
           .family = k == 2 ? "" : "K-ary"},
          lay_k_ary,
          k};
}

constexpr Entry k_nomial(std::string_view name, unsigned k) {
  return {{.collective = "bcast",
           .name = name,
           .description = k == 2 ? "binomial tree over rank numbers, blind to the network"
                                 : "K-nomial tree over rank numbers, blind to the network",
           .restrictions = "",
           .cost = k == 2 ? "log2(P) T(m), times the channel load" : "(K - 1) logK(P) T(m), times the channel load",
           .needs_cluster = false,
           .trees = 1,
           .family = k == 2 ? "" : "K-nomial"},
          lay_k_nomial,
          k};
}

constexpr Entry unaware_k_ary(std::string_view name, unsigned k) {
  return {
      {.collective = "bcast",
       .name = name,
       .description = k == 2 ? "pipelined complete binary tree by rank number, blind to the network"
                             : "pipelined complete K-ary tree by rank number, blind to the network",
       .restrictions = "",
       .cost = k == 2 ? "2 (X + H - 1) T(m/X), times the channel load" : "K (X + H - 1) T(m/X), times the channel load",
       .needs_cluster = false,
       .family = k == 2 ? "" : "unaware-K-ary"},
      lay_unaware_k_ary,
      k};
}

constexpr Entry by_blocks(AlgorithmKind kind, std::string_view name, std::string_view description,
                          std::string_view cost, bool needs_cluster) {
  return {{.collective = "bcast",
           .name = name,
           .description = description,
           .restrictions = needs_cluster ? trees_only : "",
           .cost = cost,
           .needs_cluster = needs_cluster,
           .trees = 0,
           .family = "",
           .kind = kind},
          nullptr};
}

constexpr std::array entries{
    Entry{{.collective = "bcast",
           .name = "native",
           .description = "the MPI library's own algorithm",
           .restrictions = "",
           .cost = "the library's",
           .needs_cluster = false,
           .trees = 0,
           .family = "",
           .kind = AlgorithmKind::native},
          nullptr},
    Entry{{.collective = "bcast",
           .name = "linear",
           .description = "contention-free pipelined line, depth first over the switches (Algorithm 1)",
           .restrictions = trees_only,
           .cost = "(X + P - 2) T(m/X)",
           .needs_cluster = true,
           .trees = 1,
           .family = ""},
          lay_linear},
    Entry{{.collective = "bcast",
           .name = "two-tree",
           .description = "two contention-free pipelined binary trees at once, each with every other segment",
           .restrictions = trees_only,
           .cost = "(X + 2 H) T(m/X)",
           .needs_cluster = true,
           .trees = 2,
           .family = ""},
          lay_two_tree},
    k_ary("binary", 2),
    k_ary("3-ary", 3),
    k_ary("4-ary", 4),
    k_ary("5-ary", 5),
    k_ary("6-ary", 6),
    k_ary("7-ary", 7),
    k_ary("8-ary", 8),
    by_blocks(AlgorithmKind::scatter_ring, "scatter-ring",
              "scatter, then a contention-free ring that goes depth first over the switches",
              "2 T(m) + (P + log2(P)) T(0)", true),
    by_blocks(AlgorithmKind::scatter_doubling, "scatter-doubling",
              "scatter, then recursive doubling, by rank number, blind to the network",
              "2 T(m) + 2 log2(P) T(0), times the channel load", false),
    by_blocks(
        AlgorithmKind::circulant, "circulant",
        "round-optimal for X blocks on a circulant graph by rank number: the strongest rival blind to the network",
        "(X - 1 + log2(P)) T(m/X), times the channel load", false),
    Entry{{.collective = "bcast",
           .name = "flat",
           .description = "the root sends to every rank in turn",
           .restrictions = "",
           .cost = "(P - 1) T(m)",
           .needs_cluster = false,
           .trees = 1,
           .family = ""},
          lay_flat},
    k_nomial("binomial", 2),
    k_nomial("3-nomial", 3),
    k_nomial("4-nomial", 4),
    k_nomial("5-nomial", 5),
    k_nomial("6-nomial", 6),
    k_nomial("7-nomial", 7),
    k_nomial("8-nomial", 8),
    Entry{{.collective = "bcast",
           .name = "unaware-linear",
           .description = "pipelined line in rank order, blind to the network",
           .restrictions = "",
           .cost = "(X + P - 2) T(m/X), times the channel load",
           .needs_cluster = false,
           .trees = 1,
           .family = ""},
          lay_unaware_linear},
    unaware_k_ary("unaware-binary", 2),
    unaware_k_ary("unaware-3-ary", 3),
    unaware_k_ary("unaware-4-ary", 4),
    unaware_k_ary("unaware-5-ary", 5),
    unaware_k_ary("unaware-6-ary", 6),
    unaware_k_ary("unaware-7-ary", 7),
    unaware_k_ary("unaware-8-ary", 8),
    by_blocks(AlgorithmKind::scatter_ring, "unaware-scatter-ring",
              "scatter, then a ring in rank order, blind to the network",
              "2 T(m) + (P + log2(P)) T(0), times the channel load", false),
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

std::vector<std::string> algorithm_names(std::string_view collective) {
  std::vector<std::string> names;
  std::string_view family;
  for (const Algorithm& algorithm : table) {
    if (algorithm.collective != collective) continue;
    const bool goes_on = !algorithm.family.empty() && algorithm.family == family;
    if (goes_on) {
      names.back().erase(std::min(names.back().size(), names.back().find(" to ")));
      names.back().append(" to ").append(algorithm.name);
    } else {
      names.emplace_back(algorithm.name);
    }
    family = algorithm.family;
  }
  return names;
}

Tree lay(std::string_view collective, std::string_view name, const Cluster* cluster, const Placement& placement,
         Rank root) {
  std::vector<Tree> trees = lay_all(collective, name, cluster, placement, root);
  if (trees.size() != 1) throw std::invalid_argument(std::string(name) + " is more than one tree");
  return std::move(trees.front());
}

std::vector<Tree> lay_all(std::string_view collective, std::string_view name, const Cluster* cluster,
                          const Placement& placement, Rank root) {
  for (const Entry& entry : entries) {
    if (entry.algorithm.collective != collective || entry.algorithm.name != name) {
      continue;
    }
    if (entry.algorithm.by_blocks()) {
      throw std::invalid_argument(std::string(name) +
                                  " is no tree: blocks reach each rank from several others; it has no plan");
    }
    if (entry.layer == nullptr) {
      throw std::invalid_argument(std::string(name) + " is the MPI library's own algorithm; it has no plan");
    }
    if (entry.algorithm.needs_cluster && cluster == nullptr) {
      throw std::invalid_argument(std::string(name) + " needs a cluster to be laid over");
    }
    std::vector<Tree> trees = entry.layer(cluster, placement, root, entry.k);
    check_trees(trees);
    return trees;
  }
  throw std::invalid_argument("no algorithm " + std::string(name) + " for " + std::string(collective));
}

}  // namespace trunkline
