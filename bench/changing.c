/* SPDX-License-Identifier: Apache-2.0
 * Broadcasts whose roots and sizes change from call to call: MPI_Bcast, which the preload library takes, beside
 * PMPI_Bcast, which goes past it. Calls come one right after the other, in batches that take turns.
 *
 *     mpiexec -n 32 env LD_PRELOAD=... TRUNKLINE_CLUSTER=paper-4 trunkline-changing-MPI [LEAST MOST [TURNS]]
 *
 * Sizes are drawn from LEAST to MOST bytes (8 and 65536), with equal chances for equal ratios; one that stays is a 32nd
 * of their sum. Prints one JSON object for each way: medians in milliseconds of a call, by batches, and their ratio.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

enum { CALLS = 16, MOST_TURNS = 200, WARM_UP = 3 };

typedef int bcast(void*, int, MPI_Datatype, int, MPI_Comm);

/* The same on all ranks, and the same in both batches of a turn. */
static unsigned long long state;
static double next_random(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) / 9007199254740992.0;
}

struct way {
  const char* name;
  int roots_change;
  int sizes_change;
};

/* Equal chances for equal ratios, without the mathematics library. */
static int between(int least, int most) {
  const int octaves = 31 - __builtin_clz((unsigned)(most / least));
  const double base = (double)least * (double)(1 << (int)(next_random() * (octaves + 1)));
  const int bytes = (int)(base * (1.0 + next_random()));
  return bytes < most ? bytes : most;
}

static double batch_ms(bcast* run, const struct way* way, char* data, int least, int most, int ranks, int turn) {
  state = (unsigned long long)turn;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int call = 0; call < CALLS; ++call) {
    const int root = way->roots_change ? (int)(next_random() * ranks) : 0;
    const int drawn = between(least, most);
    run(data, way->sizes_change ? drawn : (least + most) / 32, MPI_BYTE, root, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double ms = (MPI_Wtime() - start) * 1e3 / CALLS;
  MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ms;
}

int main(int argc, char** argv) {
  static const struct way ways[] = {{"same", 0, 0}, {"roots", 1, 0}, {"sizes", 0, 1}, {"roots and sizes", 1, 1}};
  static double ours[MOST_TURNS];
  static double native[MOST_TURNS];
  MPI_Init(&argc, &argv);
  const int least = argc > 2 ? atoi(argv[1]) : 8;
  const int most = argc > 2 ? atoi(argv[2]) : 65536;
  int turns = argc > 3 ? atoi(argv[3]) : 10;
  if (turns > MOST_TURNS) turns = MOST_TURNS;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* const data = calloc((size_t)most, 1);
  for (size_t which = 0; which < sizeof ways / sizeof *ways; ++which) {
    for (int turn = -WARM_UP; turn < turns; ++turn) {
      const double one = batch_ms(MPI_Bcast, &ways[which], data, least, most, ranks, turn + WARM_UP + 1);
      const double other = batch_ms(PMPI_Bcast, &ways[which], data, least, most, ranks, turn + WARM_UP + 1);
      if (turn < 0) continue;
      ours[turn] = one;
      native[turn] = other;
    }
    const double median = median_of(ours, turns);
    const double beside = median_of(native, turns);
    if (rank == 0)
      printf("{\"changes\": \"%s\", \"ours_ms\": %.3f, \"native_ms\": %.3f, \"native_over_ours\": %.2f}\n",
             ways[which].name, median, beside, beside / median);
    fflush(stdout);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
