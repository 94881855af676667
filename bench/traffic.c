/* SPDX-License-Identifier: Apache-2.0
 * Counts what every host puts on its wire during broadcasts: which algorithm an MPI library runs shows in who sends how
 * much, without any clock. For each size it prints the bytes that left the host of each rank in one broadcast.
 *
 *     trunkline-traffic-MPI REPETITIONS SIZE...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char** argv) {
  int rank;
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int repetitions = argc > 2 ? atoi(argv[1]) : 0;
  if (repetitions < 1) fail("usage: trunkline-traffic REPETITIONS SIZE...");
  double* all = malloc((size_t)ranks * sizeof *all);
  for (int k = 2; k < argc; ++k) {
    const int bytes = atoi(argv[k]);
    char* buffer = calloc((size_t)bytes + 1, 1);
    if (!buffer || !all) fail("no memory");
    MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); /* connections are made here, and not counted */
    MPI_Barrier(MPI_COMM_WORLD);
    const long long before = sent();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < repetitions; ++i) MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const double each = (double)(sent() - before) / repetitions;
    MPI_Gather(&each, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      printf("{\"message_bytes\": %d, \"sent_bytes\": [", bytes);
      for (int r = 0; r < ranks; ++r) printf("%s%.0f", r ? ", " : "", all[r]);
      printf("]}\n");
      fflush(stdout);
    }
    free(buffer);
  }
  free(all);
  MPI_Finalize();
  return 0;
}
