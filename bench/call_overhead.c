/* SPDX-License-Identifier: Apache-2.0
 * What a preload library adds to a call that it leaves alone: nanoseconds of calls of BYTES (64) on MPI_COMM_SELF,
 * beside the names that go past every library in front of MPI (PMPI_). Run it with and without the preload library; no
 * launcher is needed.
 *
 * Prints one JSON object a line for each collective: of batches that take turns the least, which nobody disturbed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 400, CALLS = 500, MOST = 4096 };

static const char* const names[] = {"bcast", "reduce", "allreduce", "allgather", "reduce-scatter-block"};
enum { COLLECTIVES = sizeof names / sizeof *names };

static double from[MOST];
static double to[MOST];

#define CALL(name, ...) (past_others ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

static void call(int which, int count, int past_others) {
  const MPI_Comm alone = MPI_COMM_SELF;
  if (which == 0) CALL(Bcast, from, count, MPI_DOUBLE, 0, alone);
  if (which == 1) CALL(Reduce, from, to, count, MPI_DOUBLE, MPI_SUM, 0, alone);
  if (which == 2) CALL(Allreduce, from, to, count, MPI_DOUBLE, MPI_SUM, alone);
  if (which == 3) CALL(Allgather, from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, alone);
  if (which == 4) CALL(Reduce_scatter_block, from, to, count, MPI_DOUBLE, MPI_SUM, alone);
}

static double batch_ns(int which, int count, int past_others) {
  const double start = MPI_Wtime();
  for (int i = 0; i < CALLS; ++i) call(which, count, past_others);
  return (MPI_Wtime() - start) / CALLS * 1e9;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = (argc > 1 ? atoi(argv[1]) : 64) / (int)sizeof(double);
  if (count < 1 || count > MOST) return 2;
  for (int which = 0; which < COLLECTIVES; ++which) {
    double least[2] = {1e9, 1e9};
    for (int i = 0; i < BATCHES; ++i) {
      for (int past_others = 0; past_others < 2; ++past_others) {
        const double ns = batch_ns(which, count, past_others);
        if (ns < least[past_others]) least[past_others] = ns;
      }
    }
    printf("{\"collective\": \"%s\", \"mpi_ns\": %.1f, \"pmpi_ns\": %.1f, \"added_ns\": %.1f}\n", names[which],
           least[0], least[1], least[0] - least[1]);
  }
  MPI_Finalize();
  return 0;
}
