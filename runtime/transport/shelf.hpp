// SPDX-License-Identifier: Apache-2.0
// Where ranks of one host leave partial results for the rank that comes next: so none of them waits for a given one.
// Each call of a communicator has one for each group of ranks that combine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "transport/transport.hpp"

namespace trunkline::runtime {

/// Of what one rank leaves, bytes. It lies in one piece: the next rank would wait for all of a longer one.
inline constexpr std::uint64_t longest_partial = std::uint64_t{16} << 10;

/// The stream of plans of one tree, and the one beside it: in it whichever rank of a host has its sum sends that on.
inline constexpr unsigned plan_stream = 0;
inline constexpr unsigned sum_stream = 1;
inline constexpr std::size_t streams_of_sums = 1;

/// Of one call, for one rank. Groups of ranks that have no rank in common each have a keeper of their own, whom all of
/// the group know: one of them.
class Shelf {
 public:
  /// A partial result that lies there, of `ranks` ranks.
  struct Partial {
    Chunk data;
    unsigned ranks;
  };

  enum class Left : std::uint8_t {
    here,
    more_to_take,  ///< another rank has left something meanwhile
    not_now,       ///< there is no room for it yet, or a call that has failed is in the way
  };

  virtual ~Shelf() = default;
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  /// Of a partial result that is left there. The same on all ranks.
  [[nodiscard]] virtual std::uint64_t most_bytes() const noexcept = 0;

  /// Whether that rank may find what this one leaves.
  [[nodiscard]] virtual bool reaches(int rank) const noexcept = 0;

  /// What another rank of the group has left. It is this one's then, which says when it needs it no longer: before it
  /// takes or leaves anything else. `room`: as long, where it is put if it cannot be read in its place. Throws
  /// MpiError.
  [[nodiscard]] virtual std::optional<Partial> take(int keeper, const Chunk& room) = 0;
  virtual void done() noexcept = 0;

  /// Copies it, so that it may be changed again. Throws MpiError, std::bad_alloc.
  [[nodiscard]] virtual Left leave(const Chunk& partial, unsigned ranks, int keeper) = 0;

  /// One message from whichever rank has the sum of all to the one that goes on with it, which need not know whose it
  /// is. Throw MpiError.
  virtual void hand_over(const Chunk& sum, int to, Pending& pending) = 0;
  virtual void await(const Chunk& sum, Pending& pending) = 0;

 protected:
  Shelf() = default;
};

class MpiTransport;

/// In a simulation, where all ranks are one process: of the call of that communicator, whose messages go by `mpi`.
/// Defined there alone (simulate/shelves.cpp).
[[nodiscard]] std::unique_ptr<Shelf> simulated_shelf(MpiTransport& mpi, unsigned communicator);

}  // namespace trunkline::runtime
