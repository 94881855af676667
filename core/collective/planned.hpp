// SPDX-License-Identifier: Apache-2.0
// One sentence says which calls are planned and which are not, wherever a user asks why a program did not get faster.
#pragma once

#include <string>

#include "collective/collective.hpp"

namespace trunkline {

/// For people: "planned are MPI_Bcast, ...; the MPI library runs all others as it has them: ...".
[[nodiscard]] inline std::string planned_words() {
  std::string names;
  for (const CollectiveFacts& one : collectives()) names.append(names.empty() ? "" : ", ").append(one.mpi_name);
  return "planned are " + names +
         ", MPI_Alltoallw, and their non-blocking and persistent forms (MPI_Ibcast, MPI_Bcast_init); the MPI library "
         "runs all others as it has them: MPI_Gatherv, MPI_Scatterv, and all their variants";
}

}  // namespace trunkline
