// SPDX-License-Identifier: Apache-2.0
#include "algorithms/registry.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/ground.hpp"
#include "algorithms/multicast_factories.hpp"
#include "algorithms/round_factories.hpp"
#include "algorithms/tree_factories.hpp"
#include "algorithms/trees/bine.hpp"
#include "algorithms/trees/hierarchical.hpp"
#include "algorithms/trees/packed_by_sites.hpp"
#include "kinds/multicast/row.hpp"
#include "kinds/rounds/row.hpp"
#include "kinds/trees/row.hpp"
#include "text/spelling.hpp"

namespace trunkline {

namespace {

struct Row {
  Algorithm algorithm;        ///< with the first collective that it serves
  Factory factory = nullptr;  ///< null: native
  unsigned k = 0;
  std::string_view up_and_down{};     ///< cost of trees that go both ways; down and up cost the same
  std::string_view there_and_back{};  ///< description of trees that are others where data go both ways
  std::string_view of_shares{};       ///< description where each rank's share goes to all; of trees: empty, they do not
  std::string_view shares_cost{};
  unsigned lanes = 1;            ///< so many ranks of each host, where it has them, drive its link by turns
  std::string_view generator{};  ///< of rounds, or the shape of weighted trees

  [[nodiscard]] bool serves(Collective collective) const {
    if (algorithm.is_native()) return true;
    if (algorithm.kind->one_promise && collective != algorithm.collective) return false;
    if (algorithm.kind == &trees_kind && facts_of(collective).gathers_shares() && of_shares.empty()) return false;
    return algorithm.kind->serves(collective);
  }
};

constexpr Row k_ary_row(std::string_view name, unsigned k) {
  return {{.name = name,
           .description = k == 2 ? "contention-free pipelined binary tree of small height (Algorithm 2 and better)"
                                 : "contention-free pipelined K-ary tree of small height",
           .cost = k == 2 ? "2 (X + H - 1) T(m/X)" : "K (X + H - 1) T(m/X)",
           .needs_cluster = true,
           .family = k == 2 ? "" : "K-ary",
           .kind = &trees_kind},
          lay_k_ary,
          k,
          k == 2 ? "3 (X + 2 H - 2) T(m/X)" : "(K + 1) (X + 2 H - 2) T(m/X)"};
}

constexpr Row k_nomial_row(std::string_view name, unsigned k) {
  return {{.name = name,
           .description = k == 2 ? "binomial tree over rank numbers, blind to the network"
                                 : "K-nomial tree over rank numbers, blind to the network",
           .cost = k == 2 ? "log2(P) T(m), times the channel load" : "(K - 1) logK(P) T(m), times the channel load",
           .family = k == 2 ? "" : "K-nomial",
           .kind = &trees_kind},
          lay_k_nomial,
          k,
          k == 2 ? "2 log2(P) T(m), times the channel load" : "2 (K - 1) logK(P) T(m), times the channel load"};
}

constexpr Row hierarchical_row(std::string_view name, unsigned fan_in) {
  return {{.name = name,
           .description = fan_in == any_fan_in ? "flat tree among the ranks of each host, and another among the hosts"
                          : fan_in == 2 ? "binomial tree among the ranks of each host, and another among the hosts"
                                        : "K-nomial tree among the ranks of each host, and another among the hosts",
           .cost = fan_in == any_fan_in ? "(P/N + N - 2) T(m) on N hosts"
                   : fan_in == 2        ? "(log2(P/N) + log2(N)) T(m) on N hosts"
                                        : "(K - 1) (logK(P/N) + logK(N)) T(m) on N hosts",
           .family = fan_in > 2 ? "hierarchical-K-nomial" : "",
           .kind = &trees_kind},
          lay_hierarchical,
          fan_in,
          fan_in == any_fan_in ? "2 (P/N + N - 2) T(m) on N hosts"
          : fan_in == 2        ? "2 (log2(P/N) + log2(N)) T(m) on N hosts"
                               : "2 (K - 1) (logK(P/N) + logK(N)) T(m) on N hosts"};
}

constexpr Row unaware_k_ary_row(std::string_view name, unsigned k) {
  return {
      {.name = name,
       .description = k == 2 ? "pipelined complete binary tree by rank number, blind to the network"
                             : "pipelined complete K-ary tree by rank number, blind to the network",
       .cost = k == 2 ? "2 (X + H - 1) T(m/X), times the channel load" : "K (X + H - 1) T(m/X), times the channel load",
       .family = k == 2 ? "" : "unaware-K-ary",
       .kind = &trees_kind},
      lay_unaware_k_ary,
      k,
      k == 2 ? "3 (X + 2 H - 2) T(m/X), times the channel load"
             : "(K + 1) (X + 2 H - 2) T(m/X), times the channel load"};
}

constexpr Row by_sites_row(std::string_view name, unsigned k) {
  return {
      {.name = name,
       .description =
           k == 2 ? "each long link crossed once, straight from the root where it can; binary trees within sites"
                  : "each long link crossed once, straight from the root where it can; K-ary trees within sites",
       .cost = k == 2 ? "latencies of long links, and 2 (X + H - 1) T(m/X)"
                      : "latencies of long links, and K (X + H - 1) T(m/X)",
       .needs_cluster = true,
       .family = k == 2 ? "" : "by-sites-K-ary",
       .kind = &trees_kind},
      lay_by_sites,
      k,
      k == 2 ? "latencies of the longest way, and 3 (X + 2 H - 2) T(m/X)"
             : "latencies of the longest way, and (K + 1) (X + 2 H - 2) T(m/X)",
      k == 2 ? "each long link crossed once each way, in the middle by two roots that exchange what came up to them; "
               "binary trees within sites"
             : "each long link crossed once each way, in the middle by two roots that exchange what came up to "
               "them; K-ary trees within sites",
      k == 2 ? "each share straight on along a tree that crosses each long link once, both ways; binary trees within "
               "sites"
             : "each share straight on along a tree that crosses each long link once, both ways; K-ary trees within "
               "sites",
      k == 2 ? "latencies of the longest way, and 2 T(m)" : "latencies of the longest way, and K T(m)"};
}

constexpr Row packed_row(std::string_view name, std::string_view description, std::string_view cost, unsigned k,
                         std::string_view up_and_down) {
  return {{.name = name,
           .description = description,
           .cost = cost,
           .needs_cluster = true,
           .streams = most_packed_trees,
           .may_have_fewer = true,
           .kind = &trees_kind,
           .has_one_order = false},
          lay_packed_by_sites,
          k,
          up_and_down};
}

constexpr Row lanes_row(std::string_view name, unsigned lanes) {
  return {{.name = name,
           .description = "two contention-free trees over hosts, which L ranks of each host drive by turns",
           .cost = "(X + 2 H) T(m/X)",
           .needs_cluster = true,
           .streams = 2 * lanes,
           .may_have_fewer = true,
           .family = "L-lane-two-tree",
           .kind = &trees_kind,
           .has_one_order = false},
          lay_two_tree,
          0,
          "2 (X + 2 H) T(m/X)",
          {},
          {},
          {},
          lanes};
}

constexpr Row lane_tree_row(std::string_view name, unsigned fan_out) {
  return {{.name = name,
           .description = "tree in which each host hands on to up to K others, all of its ranks at once",
           .cost = "logK(N) T(m) on N hosts of at least K ranks, where links take little time",
           .needs_cluster = true,
           .kind = &trees_kind},
          lay_lane_tree,
          fan_out,
          "2 logK(N) T(m) on N hosts of at least K ranks, where links take little time"};
}

/// Of by-sites-linear and by-sites-binary.
constexpr Row lanes_by_sites_row(std::string_view name, unsigned lanes, unsigned k) {
  return {{.name = name,
           .description = k == 1 ? "each long link crossed once for each byte; lines within sites; L ranks of each "
                                   "host drive its link by turns"
                                 : "each long link crossed once for each byte; binary trees within sites; L ranks "
                                   "of each host drive its link by turns",
           .cost = k == 1 ? "latencies of long links, and (X + P - 2) T(m/X)"
                          : "latencies of long links, and 2 (X + H - 1) T(m/X)",
           .needs_cluster = true,
           .streams = lanes,
           .may_have_fewer = true,
           .kind = &trees_kind,
           .has_one_order = false},
          lay_by_sites_in_lanes,
          k,
          k == 1 ? "latencies of the longest way, and 2 (X + P - 2) T(m/X)"
                 : "latencies of the longest way, and 3 (X + 2 H - 2) T(m/X)",
          k == 1 ? "each long link crossed once each way for each byte, in the middle by two roots that exchange what "
                   "came up to them; lines within sites; L ranks of each host drive its link by turns"
                 : "each long link crossed once each way for each byte, in the middle by two roots that exchange what "
                   "came up to them; binary trees within sites; L ranks of each host drive its link by turns",
          {},
          {},
          lanes};
}

constexpr Row weighted_row(std::string_view name, std::string_view description) {
  Row row{{.name = name,
           .description = description,
           .cost = "the longest way, with the sends before each on it",
           .needs_cluster = true,
           .kind = &trees_kind,
           .by_size = true},
          lay_weighted,
          0,
          "twice the longest way, with the sends before each on it"};
  row.generator = name;
  return row;
}

constexpr bool sums_shares(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::reduce_scatter_block;
}

constexpr Row round_row(Algorithm algorithm, Factory factory, std::string_view generator) {
  algorithm.kind = &rounds_kind;
  Row row{algorithm, factory};
  row.generator = generator;
  return row;
}

/// Shares where several ranks share hosts.
constexpr Row lane_ring_row(Collective collective) {
  const bool sums = sums_shares(collective);
  Algorithm algorithm{.collective = collective, .name = "lane-ring"};
  algorithm.description =
      sums ? "ranks of a host sum up, and each takes its part round a ring with one rank of every other host"
           : "each rank's block goes round a ring with one rank of every other host; ranks of a host share what came";
  algorithm.cost = "(N - 1) (T(m/N) + T(0)) on N hosts of as many ranks";
  algorithm.needs_cluster = true;
  return round_row(algorithm, lay_in_lanes, sums ? "reduce-scatter-lane-ring" : "allgather-lane-ring");
}

constexpr Row lane_direct_row(Collective collective) {
  const bool sums = sums_shares(collective);
  Algorithm algorithm{.collective = collective, .name = "lane-direct"};
  algorithm.description = sums
                              ? "each host's sums to all other hosts at once, by ranks that serve a few of them each"
                              : "each host's blocks to all other hosts at once, by ranks that serve a few of them each";
  algorithm.cost = "N/L T(m/N) + T(0) on N hosts of L ranks, times the channel load";
  algorithm.needs_cluster = true;
  return round_row(algorithm, lay_in_lanes, sums ? "reduce-scatter-lane-direct" : "allgather-lane-direct");
}

constexpr Row lane_radix_row(Collective collective, std::string_view name, unsigned radix) {
  Algorithm algorithm{.collective = collective, .name = name};
  algorithm.description =
      "each rank of a host exchanges the host's sum with another host, in groups of up to R hosts; where hosts have "
      "fewer than three ranks, recursive-doubling";
  algorithm.cost = "logR(N) (R - 1) T(m) on N hosts of at least R ranks; of short vectors logR(N) T(0)";
  algorithm.needs_cluster = true;
  Row row = round_row(algorithm, lay_lane_radix, "lane-radix");
  row.k = radix;
  return row;
}

/// Shares to a root, or from it.
constexpr Row root_binomial_row(Collective collective, bool is_aware) {
  Algorithm algorithm{.collective = collective, .name = is_aware ? "binomial" : "unaware-binomial"};
  algorithm.description = is_aware ? "shares along a binomial tree, depth first over the switches"
                                   : "shares along a binomial tree over rank numbers, blind to the network";
  algorithm.cost = is_aware ? "T(m) + log2(P) T(0)" : "T(m) + log2(P) T(0), times the channel load";
  algorithm.needs_cluster = is_aware;
  return round_row(algorithm, is_aware ? lay_depth_first : lay_by_rank_number,
                   collective == Collective::gather ? "gather-binomial" : "scatter-binomial");
}

/// Of alltoalls.
constexpr Row phases_row(Collective collective) {
  return round_row({.collective = collective,
                    .name = "phases",
                    .description = "each block straight on, in phases without contention",
                    .cost = "n T(m) of n messages on the fullest link",
                    .needs_cluster = true},
                   lay_pair_phases, "");
}

/// Of alltoalls.
constexpr Row pair_ring_row(Collective collective, bool is_aware) {
  Algorithm algorithm{.collective = collective, .name = is_aware ? "ring" : "unaware-ring"};
  algorithm.description = is_aware
                              ? "each block straight on, in step, to ranks further and further behind, dealt over "
                                "the switches"
                              : "each block straight on, in step, to ranks further and further behind, by rank number";
  algorithm.cost = "(P - 1) T(m), times the channel load";
  algorithm.needs_cluster = is_aware;
  return round_row(algorithm, is_aware ? lay_dealt : lay_by_rank_number, "alltoall-ring");
}

constexpr Row scan_line_row(Collective collective) {
  return round_row({.collective = collective,
                    .name = "linear",
                    .description = "each rank adds its operand to what the rank before it hands on, segment by segment",
                    .cost = "(X + P - 2) T(m/X), times the channel load"},
                   lay_from_rank_0, "scan-line");
}

constexpr Row scan_doubling_row(Collective collective) {
  return round_row({.collective = collective,
                    .name = "recursive-doubling",
                    .description = "what each rank has so far, to ranks 1, 2, 4, ... further",
                    .cost = "log2(P) T(m), times the channel load"},
                   lay_from_rank_0, "scan-doubling");
}

/// Once round a ring of which each rank has one block.
constexpr Row ring_row(Collective collective, bool is_aware) {
  const bool sums = sums_shares(collective);
  const std::string_view generator = sums ? "reduce-scatter-ring" : "allgather-ring";
  Algorithm algorithm{.collective = collective, .name = is_aware ? "ring" : "unaware-ring"};
  algorithm.needs_cluster = is_aware;
  algorithm.cost = is_aware ? "(P - 1) (T(m/P) + T(0))" : "(P - 1) (T(m/P) + T(0)), times the channel load";
  if (is_aware) {
    algorithm.description =
        sums ? "blocks are summed up on their way round a contention-free ring, depth first over the switches"
             : "blocks go round a contention-free ring, depth first over the switches";
    return round_row(algorithm, lay_depth_first, generator);
  }
  algorithm.description = sums ? "blocks are summed up on their way round a ring in rank order, blind to the network"
                               : "blocks go round a ring in rank order, blind to the network";
  return round_row(algorithm, lay_by_rank_number, generator);
}

constexpr std::array registry_rows{
    Row{{.name = "native", .description = "the MPI library's own algorithm", .cost = "the library's"}},
    Row{{.name = "linear",
         .description = "contention-free pipelined line, depth first over the switches (Algorithm 1)",
         .cost = "(X + P - 2) T(m/X)",
         .needs_cluster = true,
         .kind = &trees_kind},
        lay_linear,
        0,
        "2 (X + P - 2) T(m/X)"},
    Row{{.name = "two-tree",
         .description = "two contention-free pipelined binary trees at once, each with every other segment",
         .cost = "(X + 2 H) T(m/X)",
         .needs_cluster = true,
         .streams = 2,
         .kind = &trees_kind,
         .has_one_order = false},
        lay_two_tree,
        0,
        "2 (X + 2 H) T(m/X)"},
    k_ary_row("binary", 2),
    k_ary_row("3-ary", 3),
    k_ary_row("4-ary", 4),
    k_ary_row("5-ary", 5),
    k_ary_row("6-ary", 6),
    k_ary_row("7-ary", 7),
    k_ary_row("8-ary", 8),
    round_row({.name = "scatter-ring",
               .description = "scatter, then a contention-free ring that goes depth first over the switches",
               .cost = "2 T(m) + (P + log2(P)) T(0)",
               .needs_cluster = true},
              lay_depth_first, "scatter-ring"),
    round_row({.name = "scatter-doubling",
               .description = "scatter, then recursive doubling, by rank number, blind to the network",
               .cost = "2 T(m) + 2 log2(P) T(0), times the channel load"},
              lay_by_rank_number, "scatter-doubling"),
    round_row(
        {.name = "circulant",
         .description =
             "round-optimal for X blocks on a circulant graph by rank number: the strongest rival blind to the network",
         .cost = "(X - 1 + log2(P)) T(m/X), times the channel load"},
        lay_by_rank_number, "circulant"),
    Row{{.name = "multicast",
         .description =
             "UDP datagrams that the switches copy to all at once, confirmed along a contention-free 4-ary tree",
         .cost = "T(m) + H T(0)",
         .needs_cluster = true,
         .kind = &multicast_kind},
        lay_multicast,
        4,
        "(X + 2 H) T(m/X) + T(0)"},
    Row{{.name = "flat",
         .description = "the root sends to every rank in turn",
         .cost = "(P - 1) T(m)",
         .kind = &trees_kind},
        lay_flat,
        0,
        "2 (P - 1) T(m)"},
    k_nomial_row("binomial", 2),
    k_nomial_row("3-nomial", 3),
    k_nomial_row("4-nomial", 4),
    k_nomial_row("5-nomial", 5),
    k_nomial_row("6-nomial", 6),
    k_nomial_row("7-nomial", 7),
    k_nomial_row("8-nomial", 8),
    Row{{.name = "bine",
         .description = "binomial tree over negabinary rank numbers, whose sends are a third shorter",
         .cost = "log2(P) T(m), times the channel load",
         .kind = &trees_kind},
        [](const Ground& on) { return lay_one(bine_tree(on.ranks(), on.root)); },
        0,
        "2 log2(P) T(m), times the channel load"},
    hierarchical_row("hierarchical-flat", any_fan_in),
    hierarchical_row("hierarchical-binomial", 2),
    hierarchical_row("hierarchical-3-nomial", 3),
    hierarchical_row("hierarchical-4-nomial", 4),
    lanes_row("2-lane-two-tree", 2),
    lanes_row("4-lane-two-tree", 4),
    lanes_row("8-lane-two-tree", 8),
    lane_tree_row("4-lane-tree", 4),
    lane_tree_row("16-lane-tree", 16),
    lane_tree_row("64-lane-tree", 64),
    Row{{.name = "by-sites-linear",
         .description = "each long link crossed once; lines within sites, from one long link to the next",
         .cost = "latencies of long links, and (X + P - 2) T(m/X)",
         .needs_cluster = true,
         .kind = &trees_kind},
        lay_by_sites,
        1,
        "latencies of the longest way, and 2 (X + P - 2) T(m/X)",
        "each long link crossed once each way, in the middle by two roots that exchange what came up to them; lines "
        "within sites",
        "each share straight on along a tree that crosses each long link once, both ways; lines within sites",
        "latencies of the longest way, and T(m)"},
    by_sites_row("by-sites-binary", 2),
    by_sites_row("by-sites-3-ary", 3),
    by_sites_row("by-sites-4-ary", 4),
    by_sites_row("by-sites-8-ary", 8),
    lanes_by_sites_row("4-lane-by-sites-linear", 4, 1),
    lanes_by_sites_row("4-lane-by-sites-binary", 4, 2),
    Row{{.name = "by-sites-multicast",
         .description = "each long link crossed once; within each site UDP datagrams that its switches copy to all",
         .cost = "latencies of long links, and T(m) + H T(0)",
         .needs_cluster = true,
         .kind = &multicast_kind},
        lay_by_sites_multicast,
        4,
        "latencies of the longest way, and (X + H) T(m/X) + T(m)",
        "operands up a tree within each site, each long link crossed once each way, in the middle by two roots that "
        "exchange what came up to them; the result within each site as UDP datagrams that its switches copy to all",
        "each rank's block as UDP datagrams that the switches of its site copy to all of it, by turns; the blocks of "
        "each "
        "site to all others as messages, and there as such datagrams",
        "latency of the longest way, and 2 T(m)"},
    packed_row("packed-linear",
               "up to eight trees by turns that share out all long links by their rates, where paths are the shortest; "
               "lines within sites",
               "latencies of long links, and (X + P - 2) T(m/X) at the rate of all trees together", 1,
               "latencies of long links, and 2 (X + P - 2) T(m/X) at the rate of all trees together"),
    packed_row("packed-binary",
               "up to eight trees by turns that share out all long links by their rates, where paths are the shortest; "
               "binary trees within sites",
               "latencies of long links, and 2 (X + H - 1) T(m/X) at the rate of all trees together", 2,
               "latencies of long links, and 3 (X + 2 H - 2) T(m/X) at the rate of all trees together"),
    weighted_row("wave", "shortest paths that count what sends cost their senders, by latency and rate, for each size"),
    weighted_row("wave-mended", "the same, without the charge for a receiver that found a better sender"),
    weighted_row("shortest-paths", "plain shortest paths by latency and rate, for each size; far children first"),
    weighted_row("earliest-edge", "the edge along which a message arrives first is next, for each size"),
    weighted_row("earliest-edge-ahead", "the same, with what the receiver can do next"),
    weighted_row("earliest-edge-by-sites",
                 "one message into each site, earliest edges within and between, for each size"),
    weighted_row("fastest-node", "the rank whose sends cost it least is next, for each size"),
    weighted_row("local-search", "the best of all these, with subtrees moved and ranks swapped, for each size"),
    Row{{.name = "unaware-linear",
         .description = "pipelined line in rank order, blind to the network",
         .cost = "(X + P - 2) T(m/X), times the channel load",
         .kind = &trees_kind},
        lay_unaware_linear,
        0,
        "2 (X + P - 2) T(m/X), times the channel load"},
    unaware_k_ary_row("unaware-binary", 2),
    unaware_k_ary_row("unaware-3-ary", 3),
    unaware_k_ary_row("unaware-4-ary", 4),
    unaware_k_ary_row("unaware-5-ary", 5),
    unaware_k_ary_row("unaware-6-ary", 6),
    unaware_k_ary_row("unaware-7-ary", 7),
    unaware_k_ary_row("unaware-8-ary", 8),
    round_row({.name = "unaware-scatter-ring",
               .description = "scatter, then a ring in rank order, blind to the network",
               .cost = "2 T(m) + (P + log2(P)) T(0), times the channel load"},
              lay_by_rank_number, "scatter-ring"),
    round_row(
        {.collective = Collective::allreduce,
         .name = "ring",
         .description =
             "twice round a contention-free ring that goes depth first over the switches: summed up, then handed on",
         .cost = "2 (P - 1) (T(m/P) + T(0))",
         .needs_cluster = true,
         .has_one_order = false},
        lay_depth_first, "allreduce-ring"),
    round_row(
        {.collective = Collective::allreduce,
         .name = "halving-doubling",
         .description =
             "Rabenseifner's, with the longest transfers between neighbours: in pairs, depth first over the switches",
         .cost = "2 T(m) + 2 log2(P) T(0), times the channel load",
         .needs_cluster = true,
         .has_one_order = false},
        lay_depth_first, "halving-doubling"),
    round_row(
        {.collective = Collective::allreduce,
         .name = "mixed-radix",
         .description = "halving-doubling in groups of as many as each prime factor of P, so that no rank stands back "
                        "where P is no power of two",
         .cost = "2 T(m) + 2 (sum of factors - 1) T(0), times the channel load",
         .needs_cluster = true,
         .has_one_order = false},
        lay_in_nested_groups, "mixed-radix"),
    round_row(
        {.collective = Collective::allreduce,
         .name = "staggered-radix",
         .description = "mixed-radix in parts of the message, each by some ranks of every host, one behind the other: "
                        "while one is between switches, the next ones are within them",
         .cost = "2 T(m) + the ways of one part, where trunks have as much to carry as hosts' links at most",
         .needs_cluster = true,
         .has_one_order = false},
        lay_in_parts, "staggered-radix"),
    round_row(
        {.collective = Collective::allreduce,
         .name = "lane-ring",
         .description = "each rank of a host keeps a part of the sum, and goes round a ring with those of the other "
                        "hosts that keep the same part",
         .cost = "2 (N - 1) (T(m/N) + T(0)) on N hosts of as many ranks",
         .needs_cluster = true,
         .has_one_order = false},
        lay_in_lanes, "lane-ring"),
    round_row({.collective = Collective::allreduce,
               .name = "recursive-doubling",
               .description = "all of the vector with one after another, in pairs, depth first over the switches",
               .cost = "log2(P) T(m), times the channel load",
               .needs_cluster = true},
              lay_depth_first, "recursive-doubling"),
    lane_radix_row(Collective::allreduce, "4-lane-radix", 4),
    lane_radix_row(Collective::allreduce, "16-lane-radix", 16),
    lane_radix_row(Collective::allreduce, "64-lane-radix", 64),
    lane_radix_row(Collective::barrier, "4-lane-radix", 4),
    lane_radix_row(Collective::barrier, "16-lane-radix", 16),
    lane_radix_row(Collective::barrier, "64-lane-radix", 64),
    round_row({.collective = Collective::allreduce,
               .name = "unaware-ring",
               .description = "twice round a ring in rank order, blind to the network",
               .cost = "2 (P - 1) (T(m/P) + T(0)), times the channel load",
               .has_one_order = false},
              lay_by_rank_number, "allreduce-ring"),
    round_row({.collective = Collective::allreduce,
               .name = "unaware-halving-doubling",
               .description = "Rabenseifner's recursive halving and doubling by rank number, blind to the network",
               .cost = "2 T(m) + 2 log2(P) T(0), times the channel load",
               .has_one_order = false},
              lay_by_rank_number, "halving-doubling"),
    round_row({.collective = Collective::allreduce,
               .name = "unaware-recursive-doubling",
               .description = "recursive doubling by rank number, blind to the network",
               .cost = "log2(P) T(m), times the channel load"},
              lay_by_rank_number, "recursive-doubling"),
    round_row({.collective = Collective::allreduce,
               .name = "swing",
               .description = "halving and doubling with partners near by on either side in turn, depth first",
               .cost = "2 T(m) + 2 log2(P) T(0), times the channel load",
               .needs_cluster = true,
               .has_one_order = false},
              lay_depth_first, "swing"),
    round_row({.collective = Collective::allreduce,
               .name = "unaware-swing",
               .description = "the same by rank number, blind to the network: a rival made for tori",
               .cost = "2 T(m) + 2 log2(P) T(0), times the channel load",
               .has_one_order = false},
              lay_by_rank_number, "swing"),
    ring_row(Collective::reduce_scatter, true),
    lane_ring_row(Collective::reduce_scatter),
    lane_direct_row(Collective::reduce_scatter),
    ring_row(Collective::reduce_scatter, false),
    ring_row(Collective::reduce_scatter_block, true),
    lane_ring_row(Collective::reduce_scatter_block),
    lane_direct_row(Collective::reduce_scatter_block),
    ring_row(Collective::reduce_scatter_block, false),
    ring_row(Collective::allgather, true),
    lane_ring_row(Collective::allgather),
    lane_direct_row(Collective::allgather),
    ring_row(Collective::allgather, false),
    ring_row(Collective::allgatherv, true),
    lane_ring_row(Collective::allgatherv),
    lane_direct_row(Collective::allgatherv),
    ring_row(Collective::allgatherv, false),
    phases_row(Collective::alltoall),
    round_row(
        {.collective = Collective::alltoall,
         .name = "by-hosts",
         .description = "one message from each host to each other one, in step; ranks of a host give their blocks "
                        "to its first one",
         .cost = "n T(k k m) of n messages on the fullest link, with k ranks a host",
         .needs_cluster = true},
        lay_pairs_by_hosts, ""),
    pair_ring_row(Collective::alltoall, true),
    pair_ring_row(Collective::alltoall, false),
    root_binomial_row(Collective::gather, true),
    root_binomial_row(Collective::gather, false),
    root_binomial_row(Collective::scatter, true),
    root_binomial_row(Collective::scatter, false),
    phases_row(Collective::alltoallv),
    pair_ring_row(Collective::alltoallv, true),
    pair_ring_row(Collective::alltoallv, false),
    scan_line_row(Collective::scan),
    scan_doubling_row(Collective::scan),
    scan_line_row(Collective::exscan),
    scan_doubling_row(Collective::exscan),
};

/// Where it is not a root's message alone.
void say_how_it_is_multicast(Algorithm& algorithm) {
  const CollectiveFacts& facts = facts_of(algorithm.collective);
  if (facts.gathers_shares()) {
    algorithm.description = "each rank's block as UDP datagrams that the switches copy to all at once, by turns";
    algorithm.cost = "T(m) + T(m/P)";
  } else if (facts.has_operand_order()) {
    algorithm.streams = 2;
    algorithm.has_one_order = false;
    algorithm.description =
        "two contention-free trees up; the result down as UDP datagrams, which switches copy to all";
  } else if (facts.reduces) {
    algorithm.description = "a contention-free 8-ary tree up; down one UDP datagram, which switches copy to all";
    algorithm.cost = "8 H T(0)";
  }
}

/// By collective, each row's for every collective that it serves.
std::vector<Algorithm> served_algorithms() {
  std::vector<Algorithm> all;
  for (const CollectiveFacts& facts : collectives()) {
    for (const Row& row : registry_rows) {
      if (!row.serves(facts.collective)) continue;
      Algorithm& algorithm = all.emplace_back(row.algorithm);
      algorithm.collective = facts.collective;
      if (facts.direction == Direction::up_and_down) {
        if (!row.up_and_down.empty()) algorithm.cost = row.up_and_down;
        if (!row.there_and_back.empty()) algorithm.description = row.there_and_back;
      }
      if (row.of_shares.empty()) {
        if (algorithm.kind == &multicast_kind) say_how_it_is_multicast(algorithm);
      } else if (facts.gathers_shares()) {
        algorithm.description = row.of_shares;
        algorithm.cost = row.shares_cost;
      }
    }
  }
  return all;
}

/// Null where there is none.
const Row* find_row(Collective collective, std::string_view name) {
  const auto found = std::ranges::find_if(
      registry_rows, [&](const Row& row) { return row.serves(collective) && row.algorithm.name == name; });
  return found != registry_rows.end() ? &*found : nullptr;
}

}  // namespace

std::span<const Algorithm> algorithms() {
  static const std::vector<Algorithm> table = served_algorithms();
  return table;
}

std::optional<Algorithm> find_algorithm(Collective collective, std::string_view name) {
  const auto found = std::ranges::find_if(algorithms(), [&](const Algorithm& algorithm) {
    return algorithm.collective == collective && algorithm.name == name;
  });
  return found != algorithms().end() ? std::optional(*found) : std::nullopt;
}

std::string no_such_algorithm(Collective collective, std::string_view name) {
  std::vector<std::string_view> names{"auto"};
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == collective) names.push_back(algorithm.name);
  }
  return "no algorithm of " + std::string(facts_of(collective).name) + " is called '" + std::string(name) + "'" +
         did_you_mean(name, names) + "; 'trunkline algorithms' lists all";
}

std::vector<std::string> algorithm_names(Collective collective) {
  std::vector<std::string> names;
  std::string_view family;
  for (const Algorithm& algorithm : algorithms()) {
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

std::uint64_t laid_for(std::uint64_t message_bytes) {
  return std::bit_floor(std::max<std::uint64_t>(message_bytes, 1));
}

Plan lay(Collective collective, std::string_view name, const Cluster* cluster, const Placement& placement, Rank root,
         std::uint64_t message_bytes) {
  const Row* const row = find_row(collective, name);
  if (row == nullptr) {
    throw std::invalid_argument("no algorithm " + std::string(name) + " for " + std::string(facts_of(collective).name));
  }
  if (row->factory == nullptr) {
    throw std::invalid_argument(std::string(name) + " is the MPI library's own algorithm; it has no plan");
  }
  if (row->algorithm.needs_cluster && cluster == nullptr) {
    throw std::invalid_argument(std::string(name) + " needs a cluster to be laid over");
  }
  Plan plan = row->factory({.collective = collective,
                            .cluster = cluster,
                            .placement = placement,
                            .root = root,
                            .bytes = message_bytes,
                            .k = row->k,
                            .lanes = row->lanes,
                            .generator = row->generator});
  if (!row->algorithm.kind->one_promise) plan.steps().check(collective);  // the tests replay the others
  return plan;
}

Trees lay_trees(Collective collective, std::string_view name, const Cluster* cluster, const Placement& placement,
                Rank root, std::uint64_t message_bytes) {
  return trees_of(lay(collective, name, cluster, placement, root, message_bytes));
}

}  // namespace trunkline
