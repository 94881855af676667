/* SPDX-License-Identifier: Apache-2.0
 * Counts what every host puts on its wire during a collective: which algorithm an MPI library runs shows in who sends
 * how much, without any clock. For each size it prints the bytes that left the host of each rank in one call.
 *
 *     trunkline-traffic-MPI COLLECTIVE REPETITIONS SIZE...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi_calls.h"

static void fail(const char* what) {
  fprintf(stderr, "trunkline-traffic: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

/* Of our own network namespace: /sys shows the one in which it was mounted. */
static long long sent(void) {
  char line[512];
  long long bytes = -1;
  FILE* file = fopen("/proc/self/net/dev", "r");
  if (!file) fail("cannot read /proc/self/net/dev");
  while (bytes < 0 && fgets(line, sizeof line, file)) {
    sscanf(line, " eth0: %*d %*d %*d %*d %*d %*d %*d %*d %lld", &bytes);
  }
  fclose(file);
  if (bytes < 0) fail("there is no eth0");
  return bytes;
}

static void count(struct message* m, int repetitions, double* all) {
  const char* why = m->bytes % unit_of(m->of, m->ranks) ? "the size cannot be shared among the ranks" : prepare_call(m);
  if (why) fail(why);
  if (!allocate_message(m, m->bytes)) fail("no memory");
  fill_message(m, 0);
  call_mpi(m, 0); /* connections are made here, and not counted */
  MPI_Barrier(MPI_COMM_WORLD);
  const long long before = sent();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < repetitions; ++i) call_mpi(m, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const double each = (double)(sent() - before) / repetitions;
  MPI_Gather(&each, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  free_message(m);
}

int main(int argc, char** argv) {
  struct message message = {.of = argc > 3 ? find_collective(argv[1]) : NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &message.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &message.ranks);
  const int repetitions = argc > 3 ? atoi(argv[2]) : 0;
  if (!message.of || repetitions < 1) fail("usage: trunkline-traffic COLLECTIVE REPETITIONS SIZE...");
  double* all = malloc((size_t)message.ranks * sizeof *all);
  if (!all) fail("no memory");
  for (int k = 3; k < argc; ++k) {
    message.bytes = strtoull(argv[k], NULL, 10);
    count(&message, repetitions, all);
    if (message.rank != 0) continue;
    printf("{\"message_bytes\": %zu, \"sent_bytes\": [", message.bytes);
    for (int r = 0; r < message.ranks; ++r) printf("%s%.0f", r ? ", " : "", all[r]);
    printf("]}\n");
    fflush(stdout);
  }
  free(all);
  end_calls();
  MPI_Finalize();
  return 0;
}
