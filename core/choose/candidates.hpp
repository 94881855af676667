// SPDX-License-Identifier: Apache-2.0
// The one table of choice: which algorithms `auto` compares and `trunkline tune` measures, for what, and by how much
// their predicted times may be off, with the measurement that says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "model/transfer/wire.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// A plan must be predicted so many times as fast as native: what the predictions may be off by.
inline constexpr double usual_margin = 1.15;

/// What the predicted times of an algorithm do not know.
struct Uncertainty {
  std::string_view name;                      ///< of the algorithms that it is about, for people
  double margin = usual_margin;               ///< so many times as fast as native it must be
  double handicap = 1.0;                      ///< that its predicted times are multiplied by before they are compared
  double lost_of_links = 0.0;                 ///< this part of the links' time is added to them, too
  std::uint64_t least_block_bytes = 0;        ///< not compared where its blocks are shorter
  std::uint64_t long_block_bytes = 0;         ///< where they are shorter,
  double short_block_handicap = 1.0;          ///< its times are multiplied by this as well
  std::string_view why;                       ///< for people, behind a colon
  std::string_view source;                    ///< where that was measured
  const Uncertainty* shared_hosts = nullptr;  ///< instead, where hosts have several ranks; null: the same
};

/// What an algorithm is there for.
enum class Role : std::uint8_t {
  tree,          ///< long messages, pipelined without contention
  wide_tree,     ///< short messages on fast links: latencies alone count, so the fewer levels the better
  blind,         ///< where messages cost more than links: fewest of them for each rank, whatever the network
  rounds,        ///< where there is no root
  scattered,     ///< a block for each rank first, then all to all
  to_all,        ///< where switches copy what goes to a multicast group
  shared_hosts,  ///< where ranks share hosts
  sites,         ///< where long links lie between ranks: compared nowhere else
};

/// Whom a row of the table is for.
enum class For : std::uint8_t {
  nothing,
  broadcasts,
  reductions,
  data_reductions,  ///< of operands, and no barriers
  rooted,           ///< from one rank to all, or from all to one
  gathers,          ///< every rank's share to all
  even_gathers,     ///< of the same length
  root_shares,      ///< every rank's share to one, or from one
  but_broadcasts,   ///< all others
  pairs,            ///< a block for each pair of ranks
  but_pairs,        ///< all others
  scans,
  but_scans,
  all
};

/// Where `auto` compares a candidate: whatever lies between ranks; only where no long links do, since nobody has
/// checked its predictions there; so too, and only where no host has several ranks; only where long links do; so too,
/// and only where paths are the shortest, so that several ways lead from site to site; only where long links do and a
/// host has several ranks, and hosts do not share the processors of one machine, since on the lab nobody has measured
/// it; only where a host has several ranks; so too, and only where hosts do not share processors; only where the number
/// of ranks is no power of two, and of small prime factors.
enum class Where : std::uint8_t {
  anywhere,
  within_a_site,
  with_one_rank_a_host,
  over_long_links,
  over_long_links_with_one_rank_a_host,
  over_routed_long_links,
  over_long_links_on_shared_hosts,
  on_shared_hosts,
  on_own_processors,
  on_shared_hosts_in_groups,  ///< so too, within a site, and in no group of more than largest_group
  with_small_factors
};

/// A group of so many exchanges in one round less; in larger ones a ring does as well.
inline constexpr Rank largest_factor = 7;
/// In parts, each group of exchanges has others beside it; but of a thousand ranks it takes a thousand rounds, which
/// took seconds to predict.
inline constexpr Rank largest_group = 64;

struct Candidate {
  std::string_view name;  ///< of the registry; it is a candidate for the collectives that it serves there
  Role role;
  const Uncertainty* uncertainty;
  For compared;  ///< by `auto`, by predicted times
  For tuned;     ///< `trunkline tune` measures it where it is predicted to be near the fastest
  Where where = Where::anywhere;
  const Uncertainty* between_two = nullptr;  ///< instead of the other one where its rounds hand nothing on; null: same
  bool takes_short = false;                  ///< messages below least_bytes, too
  bool on_one_host = false;    ///< compared as well where all ranks are on one host, and only such are there
  Rank least_lanes = 1;        ///< only where each host has whole groups of so many ranks or more
  Rank most_ranks = ~Rank{0};  ///< only among so many ranks or fewer
};

/// `auto` compares no more of them for one collective.
inline constexpr std::size_t most_compared = 42;

/// Of every candidate where all ranks are on one host.
[[nodiscard]] const Uncertainty& uncertainty_on_one_host();
/// Where replays are true (laid_on.hpp): of every candidate but multicasts of results and of shares.
[[nodiscard]] const Uncertainty& uncertainty_of_replays();

/// Those that serve the collective, and that `auto` compares for it; what it takes where times are the same stands
/// first.
[[nodiscard]] std::vector<const Candidate*> compared_for(Collective collective);
/// Whether one of these takes messages below least_bytes.
[[nodiscard]] bool takes_short(Collective collective);
/// The same with those that are worth measuring besides.
[[nodiscard]] std::vector<const Candidate*> tuned_for(Collective collective);

[[nodiscard]] std::string_view name_of(Role role);

/// Below that the way counts and not the bytes; what a call costs besides, predictions do not know: native, or what
/// goes to all at once, with fewer ways behind each other than any exchange of messages has.
inline constexpr std::uint64_t least_bytes = 512;
/// Where long links lie between ranks, their latencies count, which are known: any message may run otherwise.
inline constexpr std::uint64_t least_bytes_of_sites = 1;
inline constexpr const char* below_least_bytes =
    "less than 512 bytes: left to the MPI library, as no plan for short calls is known to pay";

/// A plan predicted to take so much of the least time that the links allow is chosen whatever native is predicted to
/// take: that can be no faster, and exchanges between hosts that change partners come less near to the least time than
/// their predictions (on one switch of 16 hosts at 30 Mbit/s they take 1.4 to 1.8 of it, a ring 1.05).
inline constexpr double near_least = 1.1;

/// What is cut within frames sends more messages than the library would. Where all hosts share the processors of one
/// machine, each costs a busy host more than predictions know: so many times as fast as native it must be there. On the
/// lab, one switch with 16 hosts at 30 Mbit/s, broadcasts of 1 KiB and 1460 bytes that were predicted 1.6 and 1.9 times
/// faster than native took 1.3 times as long.
inline constexpr double margin_of_cuts = 2.0;
inline constexpr std::uint64_t one_frame_bytes = frame_payload_bytes - mpi_header_bytes;
/// Of longer messages what is cut counts less.
inline constexpr std::uint64_t most_cut_bytes = 2 * one_frame_bytes;

}  // namespace trunkline
