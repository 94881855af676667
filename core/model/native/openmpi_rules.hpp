// SPDX-License-Identifier: Apache-2.0
// Which broadcasts, reductions, gathers and scatters Open MPI selects by itself.
#pragma once

#include <cstdint>

#include "network/placement.hpp"

namespace trunkline {

/// Of `coll/tuned`, by its own names; without a setting for segments it sends the message in one piece.
enum class OpenMpiBcast : std::uint8_t {
  basic_linear,
  chain,
  split_binary_tree,
  binary_tree,
  binomial,
  knomial,
  scatter_allgather
};

/// What Open MPI 4.1 and 5.0 select without dynamic rules, on two ranks or more and from 1 KiB on; below that, as for
/// 1 KiB.
[[nodiscard]] OpenMpiBcast openmpi_bcast(Rank ranks, std::uint64_t message_bytes);

enum class OpenMpiAllreduce : std::uint8_t { nonoverlapping, recursive_doubling, ring, segmented_ring, rabenseifner };
enum class OpenMpiReduce : std::uint8_t { linear, chain, pipeline, binary, binomial, in_order_binary };

/// The same for reductions whose operation commutes. Without a setting nothing is cut into segments, so a pipeline is a
/// line, and a segmented ring is a ring.
[[nodiscard]] OpenMpiAllreduce openmpi_allreduce(Rank ranks, std::uint64_t message_bytes);
[[nodiscard]] OpenMpiReduce openmpi_reduce(Rank ranks, std::uint64_t message_bytes);

/// How a gather's or a scatter's shares go: along a binomial tree, or straight.
enum class OpenMpiShares : std::uint8_t { binomial, straight };

/// The same of gathers and scatters, by the bytes of a rank's share.
[[nodiscard]] OpenMpiShares openmpi_gather(Rank ranks, std::uint64_t share_bytes);
[[nodiscard]] OpenMpiShares openmpi_scatter(Rank ranks, std::uint64_t share_bytes);

/// Children of a digit in its k-nomial tree, plus one.
inline constexpr unsigned openmpi_knomial_radix = 4;

}  // namespace trunkline
