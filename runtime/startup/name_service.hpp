// SPDX-License-Identifier: Apache-2.0
// A word from one rank to all others that passes by the launcher, not through messages that anybody could receive:
// MPI_Publish_name and MPI_Lookup_name.
#pragma once

#include <optional>
#include <string>

#include "mpi_api.hpp"

namespace trunkline::runtime {

/// While it lives, errors of functions that belong to no communicator are returned to us: names that are not there yet
/// are errors. To be used within MPI_Init, where the program cannot have set a handler.
class NameService {
 public:
  NameService();
  ~NameService();
  NameService(const NameService&) = delete;
  NameService& operator=(const NameService&) = delete;

  /// Whether it worked; a name that somebody else has published does not.
  [[nodiscard]] bool publish(const std::string& name, const std::string& word);
  void withdraw(const std::string& name, const std::string& word);
  [[nodiscard]] std::optional<std::string> look_up(const std::string& name);

  /// Whether it may be asked at all. Not below srun: Slurm hands out no names, Open MPI prints a page each time that it
  /// is asked for one, and MPICH 5.0.2 dies of the answer of Slurm's PMI-2.
  [[nodiscard]] static bool may_be_asked();

  /// Whether this launcher offers it: tries with a name that only this rank uses.
  [[nodiscard]] bool works(int rank);

 private:
  [[nodiscard]] std::string full(const std::string& name) const;

  std::string job_;  ///< ends every name: jobs of one launcher share the service
  MPI_Errhandler of_world_ = MPI_ERRHANDLER_NULL;
  MPI_Errhandler of_self_ = MPI_ERRHANDLER_NULL;
};

}  // namespace trunkline::runtime
