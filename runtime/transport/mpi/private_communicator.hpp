// SPDX-License-Identifier: Apache-2.0
// The one communicator of our own, made in MPI_Init: it carries the messages of all collectives, whatever communicator
// of the program they are on. So nothing is created while a program runs, none of its communicators is used up, and no
// order of its calls can get between ours.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi_api.hpp"
#include "transport/mpi/backlog.hpp"
#include "transport/mpi/ids.hpp"
#include "transport/mpi/late_receives.hpp"
#include "transport/mpi/tags.hpp"

namespace trunkline::runtime {

/// Ranks on it are those of MPI_COMM_WORLD. Its errors are returned to us. Lives from MPI_Init to MPI_Finalize.
class PrivateCommunicator {
 public:
  /// Collective over MPI_COMM_WORLD. Throws MpiError. MPI_Finalize frees the communicator: MPI_Comm_free may refuse to
  /// where an erroneous call of the program has left messages that nobody takes.
  [[nodiscard]] static std::unique_ptr<PrivateCommunicator> open();

  [[nodiscard]] MPI_Comm communicator() const noexcept { return communicator_; }
  /// Of this rank alone; its errors are returned to us, too.
  [[nodiscard]] MPI_Comm alone() const noexcept { return alone_; }
  /// One turn of the library's progress, which goes on with whatever is under way, the program's own messages as well.
  /// Throws MpiError.
  void go_on() const;
  /// The same where this rank waits for something else than MPI's messages, and the next MPI call tells of an error. In
  /// a simulation nothing: there it would take time.
  void serve_the_program() const;
  [[nodiscard]] const TagLayout& tags() const noexcept { return tags_; }
  [[nodiscard]] Backlog& backlog() noexcept { return backlog_; }
  [[nodiscard]] Ids& ids() noexcept { return ids_; }
  [[nodiscard]] LateReceives& late() noexcept { return late_; }

 private:
  PrivateCommunicator(MPI_Comm communicator, MPI_Comm alone, int rank, int tag_ub, std::size_t ranks);

  MPI_Comm communicator_;
  MPI_Comm alone_;
  int rank_;
  TagLayout tags_;
  Backlog backlog_;
  Ids ids_;
  LateReceives late_;
};

}  // namespace trunkline::runtime
