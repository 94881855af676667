// SPDX-License-Identifier: Apache-2.0
#include "collective/collective.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace trunkline {
namespace {

/// In the order of the enumeration.
constexpr std::array collective_table{
    CollectiveFacts{.collective = Collective::bcast,
                    .name = "bcast",
                    .mpi_name = "MPI_Bcast",
                    .has_root = true,
                    .before = Holding::all_at_root,
                    .direction = Direction::down},
    CollectiveFacts{.collective = Collective::reduce,
                    .name = "reduce",
                    .mpi_name = "MPI_Reduce",
                    .has_root = true,
                    .after = Holding::all_at_root,
                    .reduces = true,
                    .direction = Direction::up,
                    .native = RunLike::reduction},
    CollectiveFacts{.collective = Collective::allreduce,
                    .name = "allreduce",
                    .mpi_name = "MPI_Allreduce",
                    .reduces = true,
                    .direction = Direction::up_and_down,
                    .native = RunLike::reduction,
                    .passes = 2.0},
    CollectiveFacts{.collective = Collective::barrier,
                    .name = "barrier",
                    .mpi_name = "MPI_Barrier",
                    .reduces = true,
                    .has_data = false,
                    .direction = Direction::up_and_down,
                    .native = RunLike::reduction},
    CollectiveFacts{.collective = Collective::reduce_scatter,
                    .name = "reduce-scatter",
                    .mpi_name = "MPI_Reduce_scatter",
                    .after = Holding::own_block,
                    .reduces = true,
                    .native = RunLike::shares,
                    .passes = 1.0},
    CollectiveFacts{.collective = Collective::reduce_scatter_block,
                    .name = "reduce-scatter-block",
                    .mpi_name = "MPI_Reduce_scatter_block",
                    .after = Holding::own_block,
                    .reduces = true,
                    .even_shares = true,
                    .native = RunLike::shares,
                    .passes = 1.0},
    CollectiveFacts{.collective = Collective::allgather,
                    .name = "allgather",
                    .mpi_name = "MPI_Allgather",
                    .before = Holding::own_block,
                    .even_shares = true,
                    .native = RunLike::shares,
                    .passes = 1.0},
    CollectiveFacts{.collective = Collective::allgatherv,
                    .name = "allgatherv",
                    .mpi_name = "MPI_Allgatherv",
                    .before = Holding::own_block,
                    .native = RunLike::shares,
                    .passes = 1.0},
    CollectiveFacts{.collective = Collective::alltoall,
                    .name = "alltoall",
                    .mpi_name = "MPI_Alltoall",
                    .before = Holding::own_row,
                    .after = Holding::own_column,
                    .even_shares = true,
                    .native = RunLike::pairs},
    CollectiveFacts{.collective = Collective::gather,
                    .name = "gather",
                    .mpi_name = "MPI_Gather",
                    .has_root = true,
                    .before = Holding::own_block,
                    .after = Holding::all_at_root,
                    .even_shares = true,
                    .native = RunLike::root_shares,
                    .passes = 1.0},
    CollectiveFacts{.collective = Collective::scatter,
                    .name = "scatter",
                    .mpi_name = "MPI_Scatter",
                    .has_root = true,
                    .before = Holding::all_at_root,
                    .after = Holding::own_block,
                    .even_shares = true,
                    .native = RunLike::root_shares,
                    .passes = 1.0},
    CollectiveFacts{.collective = Collective::alltoallv,
                    .name = "alltoallv",
                    .mpi_name = "MPI_Alltoallv",
                    .before = Holding::own_row,
                    .after = Holding::own_column,
                    .native = RunLike::pairs},
    CollectiveFacts{.collective = Collective::scan,
                    .name = "scan",
                    .mpi_name = "MPI_Scan",
                    .after = Holding::up_to_own,
                    .reduces = true,
                    .native = RunLike::prefix},
    CollectiveFacts{.collective = Collective::exscan,
                    .name = "exscan",
                    .mpi_name = "MPI_Exscan",
                    .after = Holding::before_own,
                    .reduces = true,
                    .native = RunLike::prefix},
};
static_assert(collective_table.size() <= most_collectives);

}  // namespace

std::span<const CollectiveFacts> collectives() { return collective_table; }

const CollectiveFacts& facts_of(Collective collective) {
  return collective_table.at(static_cast<std::size_t>(collective));
}

std::string CollectiveFacts::nonblocking_name() const {
  constexpr std::size_t prefix = std::string_view("MPI_").size();
  std::string name(mpi_name);
  name[prefix] = static_cast<char>(name[prefix] + ('a' - 'A'));
  return name.insert(prefix, "I");
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
