/* SPDX-License-Identifier: Apache-2.0
 * What a segment costs on its way down a line of ranks: MPI_Bcast, which the preload library runs, beside a bare loop
 * of MPI_Irecv and MPI_Isend of the same segments with as many under way. And the time from MPI_Bcast to its first
 * send.
 *
 *     mpiexec -n 4 env LD_PRELOAD=... TRUNKLINE_BCAST=unaware-linear:64KiB trunkline-segment-hop-MPI [BYTES SEGMENT
 * [TURNS]]
 *
 * `tools/beside_native.py hops` does so under every MPI library, and prints a table.
 *
 * Prints one JSON object: medians, by turns, of the slowest rank's seconds, and of the processor time of all ranks for
 * each segment that a rank takes in and hands on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include <sys/resource.h>
#include "median.h"

enum { MOST_TURNS = 200, MOST_WINDOW = 32, SHORT_CALLS = 2000, SHORT_BYTES = 2048 };
static const int in_flight_bytes = 128 << 10;

typedef int isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static int awaited;
static double first_send;

/* The preload library's own calls come here. */
__attribute__((visibility("default"))) int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                                                      MPI_Comm comm, MPI_Request* request) {
  static isend* next;
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Isend");
  if (awaited) {
    awaited = 0;
    first_send = PMPI_Wtime();
  }
  return next(data, count, type, to, tag, comm, request);
}

static int rank, ranks;

static void bare(char* data, int bytes, int segment) {
  const int segments = (bytes + segment - 1) / segment;
  int window = in_flight_bytes / segment;
  if (window < 2) window = 2;
  if (window > MOST_WINDOW) window = MOST_WINDOW;
  MPI_Request receives[MOST_WINDOW], sends[MOST_WINDOW];
  int asked = 0;
  for (int i = 0; i < window; ++i) sends[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < segments; ++i) {
    for (; rank > 0 && asked < segments && asked < i + window; ++asked) {
      const int length = asked + 1 < segments ? segment : bytes - asked * segment;
      PMPI_Irecv(data + (size_t)asked * (size_t)segment, length, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD,
                 &receives[asked % window]);
    }
    if (rank > 0) PMPI_Wait(&receives[i % window], MPI_STATUS_IGNORE);
    if (rank + 1 == ranks) continue;
    const int length = i + 1 < segments ? segment : bytes - i * segment;
    PMPI_Wait(&sends[i % window], MPI_STATUS_IGNORE);
    PMPI_Isend(data + (size_t)i * (size_t)segment, length, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD, &sends[i % window]);
  }
  for (int i = 0; i < window; ++i) PMPI_Wait(&sends[i], MPI_STATUS_IGNORE);
}

static double used_s(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

struct times {
  double wall[MOST_TURNS], used[MOST_TURNS];
};

static void once(struct times* all, int turn, char* data, int bytes, int segment, int ours) {
  memset(data, rank == 0 ? turn + 1 : 0, (size_t)bytes);
  PMPI_Barrier(MPI_COMM_WORLD);
  const double used = used_s();
  const double start = PMPI_Wtime();
  if (ours) {
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else {
    bare(data, bytes, segment);
  }
  double wall = PMPI_Wtime() - start;
  double spent = used_s() - used;
  PMPI_Allreduce(MPI_IN_PLACE, &wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (data[bytes - 1] != (char)(turn + 1)) {
    fprintf(stderr, "rank %d: wrong bytes\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (turn < 0) return;
  all->wall[turn] = wall;
  all->used[turn] = spent;
}

static double to_first_send_us(char* data) {
  static double times[SHORT_CALLS];
  for (int i = -100; i < SHORT_CALLS; ++i) {
    PMPI_Barrier(MPI_COMM_WORLD);
    awaited = rank == 0;
    const double start = PMPI_Wtime();
    MPI_Bcast(data, SHORT_BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (i >= 0) times[i] = first_send - start;
  }
  return median_of(times, SHORT_CALLS) * 1e6;
}

int main(int argc, char** argv) {
  static struct times ours, beside;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 2 ? atoi(argv[1]) : 64 << 20;
  const int segment = argc > 2 ? atoi(argv[2]) : 64 << 10;
  int turns = argc > 3 ? atoi(argv[3]) : 21;
  if (turns > MOST_TURNS) turns = MOST_TURNS;
  char* const data = malloc((size_t)bytes);
  if (!data || bytes < SHORT_BYTES || segment < 1 || turns < 1) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int turn = -2; turn < turns; ++turn) {
    once(&ours, turn, data, bytes, segment, 1);
    once(&beside, turn, data, bytes, segment, 0);
  }
  const double first_us = to_first_send_us(data);
  const double wall = median_of(ours.wall, turns);
  const double bare_wall = median_of(beside.wall, turns);
  const double hops = (double)((bytes + segment - 1) / segment) * (ranks - 1);
  const double hop_us = median_of(ours.used, turns) / hops * 1e6;
  const double bare_hop_us = median_of(beside.used, turns) / hops * 1e6;
  if (rank == 0)
    printf(
        "{\"bytes\": %d, \"segment_bytes\": %d, \"ours_s\": %.6f, \"bare_s\": %.6f, \"throughput\": %.3f, "
        "\"hop_us\": %.3f, \"bare_hop_us\": %.3f, \"hop_ratio\": %.3f, \"to_first_send_us\": %.3f}\n",
        bytes, segment, wall, bare_wall, bare_wall / wall, hop_us, bare_hop_us, hop_us / bare_hop_us, first_us);
  free(data);
  MPI_Finalize();
  return 0;
}
