// SPDX-License-Identifier: Apache-2.0
#include "collective/collective.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace trunkline {
namespace {

constexpr std::array<CollectiveFacts, collective_count> collective_table{{
    {Collective::bcast, "bcast", "MPI_Bcast", true, Holding::all_at_root, Holding::all, false, Direction::down},
    {Collective::reduce, "reduce", "MPI_Reduce", true, Holding::all, Holding::all_at_root, true, Direction::up},
    {Collective::allreduce, "allreduce", "MPI_Allreduce", false, Holding::all, Holding::all, true,
     Direction::up_and_down},
    {Collective::barrier, "barrier", "MPI_Barrier", false, Holding::all, Holding::all, true, Direction::up_and_down},
    {Collective::reduce_scatter, "reduce-scatter", "MPI_Reduce_scatter", false, Holding::all, Holding::own_block, true,
     std::nullopt},
    {Collective::reduce_scatter_block, "reduce-scatter-block", "MPI_Reduce_scatter_block", false, Holding::all,
     Holding::own_block, true, std::nullopt},
    {Collective::allgather, "allgather", "MPI_Allgather", false, Holding::own_block, Holding::all, false, std::nullopt},
    {Collective::allgatherv, "allgatherv", "MPI_Allgatherv", false, Holding::own_block, Holding::all, false,
     std::nullopt},
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
