/* SPDX-License-Identifier: Apache-2.0
 * What a preload library adds to a call: nanoseconds of an 8-byte MPI_Bcast on MPI_COMM_SELF, beside PMPI_Bcast, which
 * goes past every library in front of MPI. Run it with and without the preload library; no launcher is needed.
 *
 * Prints one JSON object: medians of batches that take turns.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

enum { BATCHES = 41, CALLS = 20000 };

static double batch_ns(int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm)) {
  double value = 1.0;
  const double start = MPI_Wtime();
  for (int i = 0; i < CALLS; ++i) bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
  return (MPI_Wtime() - start) / CALLS * 1e9;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double ours[BATCHES];
  double native[BATCHES];
  for (int i = 0; i < BATCHES; ++i) {
    ours[i] = batch_ns(MPI_Bcast);
    native[i] = batch_ns(PMPI_Bcast);
  }
  const double ours_ns = median_of(ours, BATCHES);
  const double native_ns = median_of(native, BATCHES);
  printf("{\"mpi_bcast_ns\": %.1f, \"pmpi_bcast_ns\": %.1f, \"added_ns\": %.1f}\n", ours_ns, native_ns,
         ours_ns - native_ns);
  MPI_Finalize();
  return 0;
}
