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

enum class Collective : std::uint8_t { bcast, reduce, allreduce };
inline constexpr std::size_t collective_count = 3;

/// Which way the data of a plan of trees goes: its promise, with the root as one end.
enum class Direction : std::uint8_t {
  down,         ///< the root's data reaches every rank
  up,           ///< every rank's operand goes into the root's result, once
  up_and_down,  ///< and that result reaches every rank
};

struct CollectiveFacts {
  Collective collective;
  std::string_view name;      ///< in files, settings and on the command line: "bcast"
  std::string_view mpi_name;  ///< "MPI_Bcast"
  bool has_root;
  Direction direction;

  [[nodiscard]] constexpr bool reduces() const { return direction != Direction::down; }
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
