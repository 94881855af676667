// SPDX-License-Identifier: Apache-2.0
#include "plan/collective.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace trunkline {
namespace {

constexpr std::array<CollectiveFacts, collective_count> collective_table{{
    CollectiveFacts{.collective = Collective::bcast,
                    .name = "bcast",
                    .mpi_name = "MPI_Bcast",
                    .has_root = true,
                    .direction = Direction::down},
    CollectiveFacts{.collective = Collective::reduce,
                    .name = "reduce",
                    .mpi_name = "MPI_Reduce",
                    .has_root = true,
                    .direction = Direction::up},
    CollectiveFacts{.collective = Collective::allreduce,
                    .name = "allreduce",
                    .mpi_name = "MPI_Allreduce",
                    .has_root = false,
                    .direction = Direction::up_and_down},
}};

}  // namespace

std::span<const CollectiveFacts> collectives() { return collective_table; }

const CollectiveFacts& facts_of(Collective collective) {
  return collective_table.at(static_cast<std::size_t>(collective));
}

std::optional<Collective> find_collective(std::string_view name) {
  const auto found = std::ranges::find(collective_table, name, &CollectiveFacts::name);
  return found != collective_table.end() ? std::optional(found->collective) : std::nullopt;
}

std::string collective_names() {
  std::string text;
  for (const CollectiveFacts& one : collective_table) text.append(text.empty() ? "" : ", ").append(one.name);
  return text;
}

Collective collective_named(std::string_view name) {
  if (const auto found = find_collective(name)) return *found;
  throw std::invalid_argument("no collective is called '" + std::string(name) + "'; there are: " + collective_names());
}

}  // namespace trunkline
