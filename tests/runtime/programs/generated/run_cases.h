/* SPDX-License-Identifier: Apache-2.0
 * What the programs that check generated functions do with their cases.
 */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

struct named_case {
  const char* name;
  void (*body)(void);
};

/* Runs all of them on all ranks. `failures` is where a case counts those of this rank. Prints which failed, and
 * "N passed, M failed". Returns how many failed. */
static int run_cases(const struct named_case* cases, size_t count, int* failures) {
  int rank = 0;
  int ranks = 0;
  int passed = 0;
  int failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; i < count; ++i) {
    int bad = 0;
    *failures = 0;
    cases[i].body();
    if (*failures > 0) fprintf(stderr, "FAILED %s on rank %d of %d\n", cases[i].name, rank, ranks);
    PMPI_Allreduce(failures, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    *(bad > 0 ? &failed : &passed) += 1;
  }
  if (rank == 0) printf("%d passed, %d failed\n", passed, failed);
  return failed;
}
