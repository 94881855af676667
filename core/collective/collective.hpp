// SPDX-License-Identifier: Apache-2.0
// The collective operations that plans are for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trunkline {

enum class Collective : std::uint8_t {
  bcast,
  reduce,
  allreduce,
  barrier,
  reduce_scatter,
  reduce_scatter_block,
  allgather,
  allgatherv,
  alltoall,
  gather,
  scatter,
  alltoallv,
  scan,
  exscan,
};
/// Size of arrays by collective.
inline constexpr std::size_t most_collectives = 32;

/// Which way the data of a plan of trees goes: its promise, with the root as one end.
enum class Direction : std::uint8_t {
  down,         ///< the root's data reaches every rank
  up,           ///< every rank's operand goes into the root's result, once
  up_and_down,  ///< and that result reaches every rank
};

/// What of a call's data each rank has.
enum class Holding : std::uint8_t {
  all_at_root,  ///< the root all of it, others nothing
  all,          ///< everybody all of it; before a reduction: an operand of that length
  own_block,    ///< everybody the block of its own position
  own_row,      ///< of a block for each pair of ranks: everybody those from its own position to all
  own_column,   ///< and those from all to its own position
  up_to_own,    ///< everybody what the operands up to its own position make
  before_own,   ///< the same without its own; position 0 nothing
};

/// What the MPI libraries run it like, by themselves: whose times are predicted for it (model/native).
enum class RunLike : std::uint8_t {
  bcast,
  reduction,
  shares,       ///< rings, and exchanges in pairs whose parts double or halve
  pairs,        ///< each rank's block to each other one, straight
  root_shares,  ///< to a root, or from it, along a tree by rank number, or straight
  prefix,       ///< in pairs by rank number, or from rank to rank
};

/// All that is known of a collective operation: one row each, and no list of them stands anywhere else.
struct CollectiveFacts {
  Collective collective;
  std::string_view name;      ///< in files, settings and on the command line: "bcast"
  std::string_view mpi_name;  ///< "MPI_Bcast"
  bool has_root = false;
  Holding before = Holding::all;
  Holding after = Holding::all;
  bool reduces = false;                  ///< operands are summed up; else data is moved
  bool has_data = true;                  ///< else ranks only wait for each other
  bool even_shares = false;              ///< every rank's share, or each pair's block, has the same length
  std::optional<Direction> direction{};  ///< of plans of trees; none: they move shares, or there are none
  RunLike native = RunLike::bcast;
  /// How often every byte that is not a rank's own share must pass each host's link, one way; 0: some host takes in, or
  /// gives away, all of the message.
  double passes = 0.0;

  /// Whether each rank has a share of the data, before or after.
  [[nodiscard]] constexpr bool goes_by_shares() const {
    return before == Holding::own_block || after == Holding::own_block;
  }

  /// Whether each rank has a block for each other one. Its message is one of these blocks.
  [[nodiscard]] constexpr bool goes_by_pairs() const { return before == Holding::own_row; }

  /// Whether a rank knows no other lengths than those of its own blocks.
  [[nodiscard]] constexpr bool has_private_lengths() const { return goes_by_pairs() && !even_shares; }

  /// Whether each rank gets another result than the others, of the operands of those before it. Positions are ranks.
  [[nodiscard]] constexpr bool makes_prefixes() const {
    return after == Holding::up_to_own || after == Holding::before_own;
  }

  /// Whether what a rank puts in, or gets, is what all others have.
  [[nodiscard]] constexpr bool has_one_message() const {
    return !goes_by_shares() && !goes_by_pairs() && !makes_prefixes();
  }

  /// "MPI_Ibcast"
  [[nodiscard]] std::string nonblocking_name() const;

  /// How many blocks of a plan the message of a call is.
  [[nodiscard]] constexpr std::uint64_t blocks_of_message(std::uint64_t blocks) const {
    return goes_by_pairs() ? 1 : blocks;
  }

  /// Whether one rank alone has all of them, before or after.
  [[nodiscard]] constexpr bool has_shares_at_root() const { return goes_by_shares() && has_root; }

  /// Whether every rank gets the shares of all, as they are.
  [[nodiscard]] constexpr bool gathers_shares() const { return before == Holding::own_block && after == Holding::all; }

  /// Whether it matters in which order its operands are combined.
  [[nodiscard]] constexpr bool has_operand_order() const { return reduces && has_data; }

  /// The least time of long messages over `hosts` hosts, two or more, in times T(m) of one transfer. Of an allreduce
  /// 2 (P - 1) / P: of m bytes each host must hand on (P - 1) / P to be reduced elsewhere, and take in as much that was
  /// (Patarasuk, Yuan 2009); of reduce-scatter and allgather half of it, and of what one host alone takes or gives. Of
  /// an alltoall a rank of each host sends all others a block.
  [[nodiscard]] constexpr double limit_in_transfers(double hosts) const {
    if (goes_by_pairs()) return hosts - 1.0;
    return passes == 0.0 ? 1.0 : passes * (hosts - 1.0) / hosts;
  }
};

/// All of them, in the order of the enumeration.
[[nodiscard]] std::span<const CollectiveFacts> collectives();

[[nodiscard]] const CollectiveFacts& facts_of(Collective collective);

/// None where no collective has this name.
[[nodiscard]] std::optional<Collective> find_collective(std::string_view name);

/// For people: "bcast, allreduce".
[[nodiscard]] std::string collective_names();

/// Throws std::invalid_argument, with the names that there are.
[[nodiscard]] Collective collective_named(std::string_view name);

}  // namespace trunkline
