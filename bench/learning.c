/* SPDX-License-Identifier: Apache-2.0
 * A collective again and again, so that a job may learn what is fastest: MPI_..., which the preload library takes,
 * beside PMPI_..., which goes past it, in batches that take turns. Calls of a batch come one right after the other.
 *
 *     mpiexec -n 32 env LD_PRELOAD=... TRUNKLINE_CLUSTER=paper-4 TRUNKLINE_LEARN=1 \
 *         trunkline-learning-MPI COLLECTIVE BYTES [BATCHES]
 *
 * Sums are of whole numbers (message.h). Prints one JSON object: milliseconds of a call, by batches of 10, both ways.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_calls.h"

enum { CALLS = 10, MOST = 1000 };

static void fail(const char* what) {
  fprintf(stderr, "trunkline-learning: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

static double batch_ms(const struct message* m, int past_others) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int one = 0; one < CALLS; ++one) call_mpi(m, past_others);
  PMPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - start) * 1e3 / CALLS;
}

static void print(const char* name, const double* ms, int batches, const char* end) {
  printf("\"%s\": [", name);
  for (int at = 0; at < batches; ++at) printf("%s%.4g", at == 0 ? "" : ", ", ms[at]);
  printf("]%s", end);
}

int main(int argc, char** argv) {
  static double ours[MOST];
  static double native[MOST];
  MPI_Init(&argc, &argv);
  struct message m = {.of = argc > 2 ? find_collective(argv[1]) : NULL};
  MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
  if (!m.of) fail("usage: trunkline-learning COLLECTIVE BYTES [BATCHES]");
  m.bytes = strtoull(argv[2], NULL, 10);
  int batches = argc > 3 ? atoi(argv[3]) : 40;
  if (batches > MOST) batches = MOST;
  const char* why = m.bytes % unit_of(m.of, m.ranks) ? "the size cannot be shared among the ranks" : prepare_call(&m);
  if (why) fail(why);
  if (!allocate_message(&m, m.bytes)) fail("no memory");
  fill_message(&m, 0);
  for (int at = 0; at < batches; ++at) {
    ours[at] = batch_ms(&m, 0);
    native[at] = batch_ms(&m, 1);
  }
  if (m.rank == 0) {
    printf("{\"collective\": \"%s\", \"bytes\": %zu, \"ranks\": %d, ", m.of->name, m.bytes, m.ranks);
    print("ours_ms", ours, batches, ", ");
    print("native_ms", native, batches, "}\n");
  }
  free_message(&m);
  end_calls();
  MPI_Finalize();
  return 0;
}
