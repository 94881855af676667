// SPDX-License-Identifier: Apache-2.0
#include "choose/candidates.hpp"

#include <algorithm>
#include <array>

#include "algorithms/registry.hpp"

namespace trunkline {
namespace {

constexpr std::string_view from_near_and_far =
    "predictions may be off, and operands from near may keep a port from what comes from far";

/// Of what a replay tells, or a formula that is about as near.
constexpr Uncertainty replays{
    .name = "any",
    .why = "predictions may be off",
    .source = "19 of 20 of 1259 simulated times were within 15 % of the predicted ones (docs/results/evidence.md)"};

/// Where hosts have several ranks.
constexpr Uncertainty exchanges_on_shared_hosts{
    .name = "exchanges in pairs",
    .why = "a short one waits longer in each round than is predicted",
    .source =
        "lab: 8 hosts of 4 ranks at 20 Mbit/s, allreduces of 8 and 64 KiB by halving-doubling took 0.98 "
        "and 0.83 of the predicted time (docs/results/hosts.md)"};

constexpr Uncertainty usual{
    .name = "trees and blocks",
    .why = "predictions may be off",
    .source =
        "lab: native broadcasts of Open MPI were predicted within 15 % in 34 of 37 cases (docs/results/model.md)"};

constexpr Uncertainty line{.name = "lines",
                           .handicap = 1.05,
                           .why = "a line waits for all of its ranks, one after another",
                           .source =
                               "lab: lines of 512 KiB took up to 6 % longer than predicted, shorter ones up to 26 %, "
                               "binary trees up to 9 % (docs/results/model.md)"};

constexpr Uncertainty ring{
    .name = "rings",
    .least_block_bytes = frame_payload_bytes,
    .long_block_bytes = 2 * frame_payload_bytes,
    .short_block_handicap = 1.5,
    .why = "a ring of short blocks waits for hosts that are not always ready",
    .source =
        "lab: 64 KiB round 32 hosts took 1.2 of the predicted time at 10 Mbit/s, 1.8 to 2.8 at 20 "
        "Mbit/s, 32 KiB round 16 hosts 1.3"};

constexpr Uncertainty exchanges{
    .name = "exchanges in pairs",
    .margin = 1.75,
    .lost_of_links = 0.1,
    .why = "its exchanges send more messages, which cost busy hosts, and change partners",
    .source =
        "lab: one switch with 16 hosts at 30 Mbit/s lost 0.2 to 1 of the links' time, a line of four "
        "switches with 32 hosts at 10 Mbit/s nothing; allreduces of 1 to 3 KiB that were predicted "
        "1.4 to 1.6 times faster took 1.1 to 1.35 times as long",
    .shared_hosts = &exchanges_on_shared_hosts};

constexpr Uncertainty multicasts{
    .name = "multicasts",
    .why = "a multicast asks ranks and hosts to be ready, and a network that loses nothing",
    .source =
        "lab: multicasts of 1 KiB to 1 MB to 2 to 31 receivers took up to 8 % longer than predicted "
        "(docs/results/multicast.md); of 4 KiB to 1 MiB to 32 hosts 1.01 to 1.05 times as long as "
        "predicted, two trees 1.05 to 1.31 times"};

constexpr Uncertainty by_turns{
    .name = "multicasts by turns",
    .margin = 1.05,
    .handicap = 1.03,
    .why = "multicasts by turns ask all ranks to be ready, and switches to hold what all send at once",
    .source =
        "lab: 1 KiB of each of 32 hosts took at most 3 % longer than predicted under two libraries; "
        "simulated, 8 B to 16 KiB of each of 3 to 32 hosts at most 5 % (docs/results/multicast.md)"};

constexpr Uncertainty results{
    .name = "multicasts of results",
    .margin = 1.1,
    .handicap = 1.3,
    .why = "a multicast of a result asks ranks and hosts to be ready, and a network that loses nothing",
    .source =
        "simulated, 4 and 8 KiB to 3 to 32 hosts took up to 25 % longer than predicted; lab: 8 KiB to 32 "
        "hosts up to 8 % (docs/results/multicast.md)"};

constexpr Uncertainty shares_over_sites{
    .name = "multicasts of shares over sites",
    .handicap = 1.3,
    .why = "it asks ranks and hosts of all sites to be ready, and first ranks that do the work of many",
    .source =
        "lab: 64 B of each of 8 hosts on two sites took up to 1.05 of native where they were predicted "
        "faster; simulated, 4 KiB of each of 32 hosts took 1.3 of the predicted time "
        "(docs/results/multicast.md)"};

constexpr Uncertainty one_host{
    .name = "anything on one host",
    .margin = 1.1,
    .why = "what memory takes differs from host to host",
    .source =
        "two ranks on two processors, 512 B to 16 MiB, five collectives under four libraries "
        "(docs/results/one-host.md)"};

constexpr Uncertainty by_sites{
    .name = "trees by sites",
    .margin = 1.08,
    .lost_of_links = 1.0,
    .why = from_near_and_far,
    .source =
        "lab: broadcasts over four sites took up to 3 % longer than predicted, native ones of 8 B and 8 KiB, too "
        "(docs/results/wide-area.md)"};

constexpr Uncertainty branching{
    .name = "branching trees by sites",
    .margin = 1.0,
    .handicap = 1.09,
    .lost_of_links = 1.0,
    .why = "a rank that serves two sends both through a port that is full",
    .source =
        "lab: of several broadcasts over four sites the fastest took 1.01 (100 000 B), 1.09 and 1.16 "
        "(256 KiB), 1.19 and 1.22 (1 MiB) of the predicted time by binary trees, by lines 0.99 to "
        "1.03 (docs/results/wide-area.md)"};

constexpr Uncertainty several_hosts{
    .name = "exchanges with several hosts",
    .handicap = 1.25,
    .why = "ranks that exchange with several hosts at once meet those of others at hosts' ports",
    .source =
        "lab: 4 hosts of 4 ranks at 20 Mbit/s, allgathers of 64 KiB and 1 MiB took 1.19 and 1.17 times "
        "as long as lane-ring, that was predicted to take longer (docs/results/hosts.md)"};

constexpr Uncertainty several_trees{
    .name = "several trees",
    .handicap = 1.1,
    .why = "segments of several trees meet at ports",
    .source =
        "lab: allreduces and broadcasts of 4 KiB to 1 MiB by two trees took 1.02 to 1.37 times as long "
        "as predicted, among 32 hosts and 8 hosts of 4 ranks; by halving-doubling 0.83 to 1.05 times"};

constexpr Uncertainty in_step{
    .name = "rings in step",
    .margin = 1.06,
    .why = "what full queues lose is left out of native times but for one timeout",
    .source =
        "lab: alltoalls of 1 to 64 KiB among 16 and 32 hosts at 20 Mbit/s took 1.01 to 1.06 of the predicted time "
        "(docs/results/alltoall.md)"};

constexpr Uncertainty from_host_to_host{
    .name = "messages from host to host",
    .margin = 1.1,
    .handicap = 1.15,
    .why = "the first ranks of hosts do the work of many",
    .source =
        "lab: 8 hosts of 4 ranks at 20 Mbit/s, alltoalls of 256 and 512 B took 1.11 to 1.23 of the "
        "predicted time; of 1 and 2 KiB 0.96 to 1.25 times as long as a ring (docs/results/alltoall.md)"};

/// Rows of the same name stand behind each other, and are for different collectives.
constexpr std::size_t compared_names(std::span<const Candidate> rows) {
  std::size_t names = 0;
  std::string_view last;
  for (const Candidate& row : rows) {
    if (row.compared == For::nothing || row.name == last) continue;
    last = row.name;
    ++names;
  }
  return names;
}

/// A row with one thing more, as Candidate's members say it.
constexpr Candidate with_short(Candidate row) { return row.takes_short = true, row; }
constexpr Candidate on_one_host(Candidate row) { return row.on_one_host = true, row; }
constexpr Candidate between_two(const Uncertainty& other, Candidate row) { return row.between_two = &other, row; }
constexpr Candidate of_lanes(Rank least, Candidate row) { return row.least_lanes = least, row; }
constexpr Candidate among(Rank most, Candidate row) { return row.most_ranks = most, row; }

/// More children delay each other: where links are slow, the papers found no k above 2 to pay. Twins of contention-free
/// algorithms that are blind to the network are never the fastest.
constexpr std::array table{
    Candidate{"linear", Role::tree, &line, For::but_scans, For::but_scans},
    // MPICH's scans go by hosts where ranks stand in rows on them, which its prediction does not know.
    Candidate{"linear", Role::tree, &line, For::scans, For::scans, Where::with_one_rank_a_host},
    Candidate{"two-tree", Role::tree, &several_trees, For::all, For::all},
    Candidate{"2-lane-two-tree", Role::shared_hosts, &several_trees, For::all, For::all, Where::on_shared_hosts},
    Candidate{"4-lane-two-tree", Role::shared_hosts, &several_trees, For::all, For::all, Where::on_shared_hosts},
    Candidate{"8-lane-two-tree", Role::shared_hosts, &several_trees, For::all, For::all, Where::on_shared_hosts},
    Candidate{"binary", Role::tree, &usual, For::all, For::all},
    Candidate{"3-ary", Role::tree, &usual, For::all, For::all},
    Candidate{"4-ary", Role::wide_tree, &usual, For::all, For::all},
    Candidate{"8-ary", Role::wide_tree, &usual, For::all, For::all},
    on_one_host({"flat", Role::wide_tree, &usual, For::all, For::all}),
    Candidate{"circulant", Role::blind, &usual, For::broadcasts, For::all, Where::within_a_site},
    on_one_host({"binomial", Role::blind, &usual, For::broadcasts, For::all}),
    Candidate{"binomial", Role::rounds, &usual, For::root_shares, For::root_shares},
    on_one_host({"4-nomial", Role::blind, &usual, For::broadcasts, For::all}),
    between_two(exchanges, on_one_host({"ring", Role::rounds, &ring, For::but_pairs, For::but_pairs})),
    // Costs look at the messages of all: a million of them take half a second.
    among(1024, {"ring", Role::rounds, &in_step, For::pairs, For::pairs}),
    among(256, {"phases", Role::rounds, &usual, For::nothing, For::pairs}),
    among(1024,
          with_short({"by-hosts", Role::shared_hosts, &from_host_to_host, For::all, For::all, Where::on_shared_hosts})),
    on_one_host({"halving-doubling", Role::rounds, &exchanges, For::all, For::all}),
    on_one_host({"mixed-radix", Role::rounds, &exchanges, For::all, For::all, Where::with_small_factors}),
    between_two(exchanges, {"lane-ring", Role::shared_hosts, &ring, For::all, For::all, Where::on_shared_hosts}),
    Candidate{"lane-direct", Role::shared_hosts, &several_hosts, For::all, For::all, Where::on_shared_hosts},
    Candidate{"staggered-radix", Role::shared_hosts, &exchanges, For::all, For::all, Where::on_shared_hosts_in_groups},
    on_one_host({"recursive-doubling", Role::rounds, &exchanges, For::but_scans, For::but_scans}),
    Candidate{"recursive-doubling", Role::rounds, &exchanges, For::scans, For::scans, Where::with_one_rank_a_host},
    with_short({"4-lane-tree", Role::shared_hosts, &usual, For::rooted, For::rooted, Where::on_own_processors}),
    with_short({"16-lane-tree", Role::shared_hosts, &usual, For::rooted, For::rooted, Where::on_own_processors}),
    with_short({"64-lane-tree", Role::shared_hosts, &usual, For::rooted, For::rooted, Where::on_own_processors}),
    of_lanes(
        3, with_short({"4-lane-radix", Role::shared_hosts, &exchanges, For::all, For::all, Where::on_own_processors})),
    of_lanes(
        5, with_short({"16-lane-radix", Role::shared_hosts, &exchanges, For::all, For::all, Where::on_own_processors})),
    of_lanes(17, with_short(
                     {"64-lane-radix", Role::shared_hosts, &exchanges, For::all, For::all, Where::on_own_processors})),
    Candidate{"by-sites-linear", Role::sites, &by_sites, For::all, For::all, Where::over_long_links},
    Candidate{"by-sites-binary", Role::sites, &branching, For::broadcasts, For::broadcasts, Where::over_long_links},
    Candidate{"by-sites-binary", Role::sites, &by_sites, For::but_broadcasts, For::but_broadcasts,
              Where::over_long_links},
    Candidate{"by-sites-3-ary", Role::sites, &branching, For::broadcasts, For::broadcasts, Where::over_long_links},
    Candidate{"by-sites-3-ary", Role::sites, &by_sites, For::but_broadcasts, For::but_broadcasts,
              Where::over_long_links},
    Candidate{"by-sites-4-ary", Role::sites, &branching, For::broadcasts, For::broadcasts, Where::over_long_links},
    Candidate{"by-sites-4-ary", Role::sites, &by_sites, For::but_broadcasts, For::but_broadcasts,
              Where::over_long_links},
    Candidate{"by-sites-8-ary", Role::sites, &branching, For::broadcasts, For::broadcasts, Where::over_long_links},
    Candidate{"by-sites-8-ary", Role::sites, &by_sites, For::but_broadcasts, For::but_broadcasts,
              Where::over_long_links},
    Candidate{"4-lane-by-sites-linear", Role::sites, &by_sites, For::all, For::all,
              Where::over_long_links_on_shared_hosts},
    Candidate{"4-lane-by-sites-binary", Role::sites, &by_sites, For::all, For::all,
              Where::over_long_links_on_shared_hosts},
    Candidate{"packed-linear", Role::sites, &by_sites, For::all, For::all, Where::over_routed_long_links},
    Candidate{"packed-binary", Role::sites, &by_sites, For::all, For::all, Where::over_routed_long_links},
    Candidate{"scatter-ring", Role::scattered, &usual, For::nothing, For::all},
    Candidate{"scatter-doubling", Role::scattered, &usual, For::nothing, For::all},
    with_short({"multicast", Role::to_all, &multicasts, For::broadcasts, For::broadcasts, Where::within_a_site}),
    Candidate{"by-sites-multicast", Role::sites, &multicasts, For::broadcasts, For::broadcasts, Where::over_long_links},
    Candidate{"by-sites-multicast", Role::sites, &results, For::data_reductions, For::reductions,
              Where::over_long_links_with_one_rank_a_host},
    Candidate{"by-sites-multicast", Role::sites, &shares_over_sites, For::even_gathers, For::gathers,
              Where::over_long_links},
    // On the lab results to hosts of 2 and 4 ranks took 1.2 to 2.3 times as long as predicted (docs/results/hosts.md).
    Candidate{"multicast", Role::to_all, &results, For::data_reductions, For::reductions, Where::with_one_rank_a_host},
    with_short({"multicast", Role::to_all, &by_turns, For::even_gathers, For::gathers, Where::within_a_site}),
    Candidate{"hierarchical-flat", Role::shared_hosts, &usual, For::nothing, For::reductions},
    Candidate{"hierarchical-binomial", Role::shared_hosts, &usual, For::nothing, For::reductions},
    Candidate{"hierarchical-4-nomial", Role::shared_hosts, &usual, For::nothing, For::reductions},
};

static_assert(compared_names(table) <= most_compared);

bool is_for(For whom, Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  switch (whom) {
    case For::nothing:
      return false;
    case For::broadcasts:
      return facts.native == RunLike::bcast;
    case For::reductions:
      return facts.reduces;
    case For::data_reductions:
      return facts.reduces && facts.has_data;
    case For::rooted:
      return facts.has_root;
    case For::gathers:
      return facts.gathers_shares();
    case For::even_gathers:
      return facts.gathers_shares() && facts.even_shares;
    case For::root_shares:
      return facts.has_shares_at_root();
    case For::but_broadcasts:
      return facts.native != RunLike::bcast;
    case For::pairs:
      return facts.goes_by_pairs();
    case For::but_pairs:
      return !facts.goes_by_pairs();
    case For::scans:
      return facts.makes_prefixes();
    case For::but_scans:
      return !facts.makes_prefixes();
    case For::all:
      break;
  }
  return true;
}

std::vector<const Candidate*> rows_for(Collective collective, For Candidate::*use) {
  std::vector<const Candidate*> rows;
  for (const Candidate& row : table) {
    if (is_for(row.*use, collective) && find_algorithm(collective, row.name)) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

const Uncertainty& uncertainty_on_one_host() { return one_host; }

const Uncertainty& uncertainty_of_replays() { return replays; }

std::vector<const Candidate*> compared_for(Collective collective) { return rows_for(collective, &Candidate::compared); }

bool takes_short(Collective collective) {
  return std::ranges::any_of(compared_for(collective), &Candidate::takes_short);
}

std::vector<const Candidate*> tuned_for(Collective collective) { return rows_for(collective, &Candidate::tuned); }

std::string_view name_of(Role role) {
  switch (role) {
    case Role::tree:
      return "tree";
    case Role::wide_tree:
      return "wide tree";
    case Role::blind:
      return "blind";
    case Role::rounds:
      return "rounds";
    case Role::scattered:
      return "scattered";
    case Role::to_all:
      return "to all at once";
    case Role::shared_hosts:
      return "shared hosts";
    case Role::sites:
      break;
  }
  return "sites";
}

}  // namespace trunkline
