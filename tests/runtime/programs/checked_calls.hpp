// SPDX-License-Identifier: Apache-2.0
// The main function of a program whose ranks are threads, and that counts the calls that went wrong.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <utility>

namespace trunkline::testing {

/// Exit status: 0 where none of them did, 1 where some did, 2 where there are not `words` words or MPI has no threads.
/// `run` returns how many went wrong, and how many there were.
template <typename Run>
int checked_calls(int argc, char** argv, int words, const Run& run) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (argc != words || provided != MPI_THREAD_MULTIPLE) return 2;
  const std::pair<int, int> counted = run();
  std::printf("%d of %d calls went wrong\n", counted.first, counted.second);
  MPI_Finalize();
  return counted.first == 0 ? 0 : 1;
}

}  // namespace trunkline::testing
