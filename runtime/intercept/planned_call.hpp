// SPDX-License-Identifier: Apache-2.0
// A call by the plan that was decided for it: its transports, what runs it, and what becomes of errors. A value: it
// lies on the stack of a call that blocks, and wherever else of one that does not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "execute/part.hpp"
#include "intercept/call.hpp"
#include "intercept/prepare.hpp"
#include "intercept/shared_facts.hpp"
#include "trace/recorder.hpp"
#include "trace/traced_datagrams.hpp"
#include "transport/datagram/group.hpp"
#include "transport/memory/memory_transport.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/shelf.hpp"

namespace trunkline::runtime {

class PlannedCall {
 public:
  /// What errors the program's own code leaves by are for.
  enum class Leaves : std::uint8_t {
    by_exception,  ///< they go on to the program, once the other ranks have been told
    by_code,       ///< there is no frame of the program's around: they count as MPI_ERR_OTHER
  };

  /// Nothing is sent yet. `call`, `prepared` and the communicator's members must outlive the object.
  PlannedCall(UserCall& call, const SharedFacts& shared, const Prepared& prepared, Leaves leaves);
  ~PlannedCall();
  PlannedCall(const PlannedCall&) = delete;
  PlannedCall& operator=(const PlannedCall&) = delete;

  /// Before the first step.
  void trace(TracedCall& traced);

  /// The program has freed its communicator: nothing is asked of that any more.
  void communicator_is_freed() noexcept { over_mpi_.belongs_to({.is_blocking = false}); }

  /// Runs it to the end. Returns MPI's code. Where this rank cannot go on, the others are told, so that none waits for
  /// it for ever.
  [[nodiscard]] int run() { return *go_on(true); }

  /// The same as far as it goes without waiting; empty where it is not over. Not to be called again once it is.
  [[nodiscard]] std::optional<int> step() { return go_on(false); }

 private:
  [[nodiscard]] Transport& transport() noexcept {
    return in_memory_ ? static_cast<Transport&>(*in_memory_) : over_mpi_;
  }
  [[nodiscard]] std::optional<int> go_on(bool to_the_end);
  [[nodiscard]] int give_up(int code) noexcept;

  UserCall& call_;
  const SharedFacts& shared_;
  const Prepared& prepared_;
  Leaves leaves_;
  std::uint64_t claim_;  ///< a digest of what all ranks must take the call for
  MpiTransport over_mpi_;
  std::unique_ptr<Shelf> shelf_{};  ///< in a simulation
  std::optional<DatagramCall> datagrams_{};
  std::optional<TracedDatagrams> told_{};
  std::optional<MemoryTransport> in_memory_{};
  Running running_{};  ///< once it has begun
};

}  // namespace trunkline::runtime
