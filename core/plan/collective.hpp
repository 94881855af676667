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

enum class Collective : std::uint8_t { bcast };
inline constexpr std::size_t collective_count = 1;

struct CollectiveFacts {
  Collective collective;
  std::string_view name;      ///< in files, settings and on the command line: "bcast"
  std::string_view mpi_name;  ///< "MPI_Bcast"
  bool has_root;
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
