// SPDX-License-Identifier: Apache-2.0
// Which algorithms MPICH 4 and Open MPI 4.1 and 5.0 select by themselves, without settings of their own.
#pragma once

#include <cstdint>

#include "collective/collective.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Whose native algorithms a prediction is about.
enum class NativeLibrary : std::uint8_t { mpich, openmpi };

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
enum class OpenMpiAllreduce : std::uint8_t { nonoverlapping, recursive_doubling, ring, segmented_ring, rabenseifner };
enum class OpenMpiReduce : std::uint8_t { linear, chain, pipeline, binary, binomial, in_order_binary };

/// On two ranks or more and from 1 KiB on; below that, as for 1 KiB. Of reductions those whose operation commutes:
/// nothing is cut into segments, so a pipeline is a line, and a segmented ring is a ring.
[[nodiscard]] OpenMpiBcast openmpi_bcast(Rank ranks, std::uint64_t message_bytes);
[[nodiscard]] OpenMpiAllreduce openmpi_allreduce(Rank ranks, std::uint64_t message_bytes);
[[nodiscard]] OpenMpiReduce openmpi_reduce(Rank ranks, std::uint64_t message_bytes);

/// How a gather's or a scatter's shares go: along a binomial tree, or straight.
enum class OpenMpiShares : std::uint8_t { binomial, straight };

/// By the bytes of a rank's share.
[[nodiscard]] OpenMpiShares openmpi_gather(Rank ranks, std::uint64_t share_bytes);
[[nodiscard]] OpenMpiShares openmpi_scatter(Rank ranks, std::uint64_t share_bytes);

/// Whether a library's gather, or scatter, has the tree for shares of that many bytes.
[[nodiscard]] bool goes_along_a_tree(NativeLibrary library, bool gathers, Rank ranks, std::uint64_t share_bytes);

/// Children of a digit in its k-nomial tree, plus one.
inline constexpr unsigned openmpi_knomial_radix = 4;

enum class MpichBcast : std::uint8_t { binomial, scatter_doubling, scatter_ring };

/// Binomial up to 12 KiB or below 8 ranks; scatter and allgather above, by recursive doubling up to 512 KiB on powers
/// of two, by a ring else.
[[nodiscard]] MpichBcast mpich_bcast(Rank ranks, std::uint64_t message_bytes);

/// MPICH reduces no longer messages up a binomial tree.
inline constexpr std::uint64_t mpich_short_reduce_bytes = 2048;

/// Whether MPICH gathers shares of `message_bytes` together round a ring; else it doubles the shares that ranks have.
[[nodiscard]] bool mpich_gathers_round_a_ring(Rank ranks, std::uint64_t message_bytes);
/// Whether it scatters `message_bytes` of results pairwise: each rank sends each other one its block.
[[nodiscard]] bool mpich_scatters_pairwise(std::uint64_t message_bytes);
/// Whether it exchanges blocks of pairs in turn, one after another; else all at once, 32 of a rank at a time.
[[nodiscard]] bool mpich_exchanges_in_turn(std::uint64_t block_bytes);
/// Whether it exchanges blocks of pairs by Bruck's rounds.
[[nodiscard]] bool mpich_exchanges_by_bruck(Rank ranks, std::uint64_t block_bytes);

/// Of an alltoall that the library sends all at once: as many bytes over one link as so many queues of a switch hold
/// lose nothing, since the first are gone before the last ones come. Lab, queues of 64 frames: with 1.7 of them MPICH
/// took 1.21 and 1.22 of the bound, Open MPI 1.25 and 3.2, rings in step 1.26 to 1.32; with 3 of them 1.8 to 3.0, and
/// rings 1.1. Open MPI's MPI_Alltoallv took 7 to 10 with 1.3 of them and 3.2 with 1.7 (docs/results/alltoall.md).
[[nodiscard]] double queues_that_pass(NativeLibrary library, Collective collective);

/// What both libraries reduce by.
enum class NativeReduction : std::uint8_t {
  doubling,          ///< the whole vector with ranks 1, 2, 4, ... away
  halving,           ///< halves, quarters, ... are reduced, then gathered (Rabenseifner)
  ring,              ///< every block goes round twice
  flat_tree,         ///< all to the root at once
  line,              ///< from rank to rank, in one piece
  binary_tree,       ///< in one piece
  in_order,          ///< in one piece, see in_order_binary_tree()
  binomial_tree,     ///< in one piece
  reduce_and_bcast,  ///< one after the other, as the library selects each
};

/// For an MPI_Reduce or MPI_Allreduce of 2 KiB and more; operations commute and are MPI's own. MPICH's rule, as its own
/// table has it: allreduce halves above 8 bytes, reduce above 2 KiB, where each rank of a power of two gets an element
/// of 8 bytes; else recursive doubling, and a binomial tree.
[[nodiscard]] NativeReduction native_reduction(NativeLibrary library, Collective collective, Rank ranks,
                                               std::uint64_t message_bytes);

}  // namespace trunkline
