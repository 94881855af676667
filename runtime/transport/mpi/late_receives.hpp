// SPDX-License-Identifier: Apache-2.0
// Receives that outlive their calls: of messages that are on their way for certain, though nobody needs them any more.
// They stay posted, so that each takes the message that it was posted for and no later one is mistaken for it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Of all communicators and threads.
class LateReceives {
 public:
  /// `memory` is what it writes to. Lets go of those that are over.
  void add(std::shared_ptr<void> memory, MPI_Request request) noexcept;

  /// Waits until all are over: before MPI_Finalize, which wants that of every receive.
  void end() noexcept;

 private:
  struct Late {
    std::shared_ptr<void> memory;
    MPI_Request request;
  };
  void drop_those_over() noexcept;

  std::mutex mutex_{};
  std::vector<Late> late_{};
};

}  // namespace trunkline::runtime
