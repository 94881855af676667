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
};
inline constexpr std::size_t collective_count = 8;

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
};

struct CollectiveFacts {
  Collective collective;
  std::string_view name;      ///< in files, settings and on the command line: "bcast"
  std::string_view mpi_name;  ///< "MPI_Bcast"
  bool has_root;
  Holding before;
  Holding after;
  bool reduces;                        ///< operands are summed up; else data is moved
  std::optional<Direction> direction;  ///< of plans of trees; none: trees do not serve it

  /// Whether each rank has a share of the data, before or after.
  [[nodiscard]] constexpr bool goes_by_shares() const {
    return before == Holding::own_block || after == Holding::own_block;
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
