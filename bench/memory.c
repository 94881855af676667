/* SPDX-License-Identifier: Apache-2.0
 * Extra memory of a large broadcast, or of an allreduce in place: how far the peak of resident memory (VmHWM) rises on
 * each rank. Three rounds: a first broadcast of 1 MiB, in which communicators, plans and the transport's own pools of
 * buffers are made, whose size does not depend on the message; a large one; and a large one to which the odd ranks come
 * half a second late.
 *
 *     mpiexec -n 4 env LD_PRELOAD=... TRUNKLINE_BCAST=unaware-linear:8KiB trunkline-memory-MPI [MEBIBYTES
 * [gaps|allreduce]]
 *
 * "gaps": a datatype with gaps instead of contiguous memory. The buffer itself is touched before. Prints one JSON
 * object a round: the largest rise over all ranks in KiB, and whether the content is right.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long status_kib(const char* field) {
  char line[256];
  long value = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) {
    if (strncmp(line, field, strlen(field)) == 0) value = atol(line + strlen(field));
  }
  if (status) fclose(status);
  return value;
}

/* From now on the peak is counted anew. */
static void reset_peak(void) {
  FILE* file = fopen("/proc/self/clear_refs", "w");
  if (file) {
    fputs("5", file);
    fclose(file);
  }
}

static unsigned char content(size_t i, int round) { return (unsigned char)(i * 31 + (i >> 12) + (size_t)round * 7); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const size_t bytes = (size_t)(argc > 1 ? atol(argv[1]) : 64) << 20;
  const int sums = argc > 2 && strcmp(argv[2], "allreduce") == 0;
  const size_t step = argc > 2 && strcmp(argv[2], "gaps") == 0 ? 2 : 1;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char* buffer = malloc(bytes * step);
  memset(buffer, 1, bytes * step);

  for (int round = 0; round < 3; ++round) {
    const size_t size = round == 0 ? (size_t)1 << 20 : bytes;
    const int late = round == 2 && rank % 2 == 1;
    MPI_Datatype type; /* blocks of 64 bytes, every one or every other of them */
    MPI_Type_vector((int)(size / 64), 64, (int)(64 * step), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (size_t i = 0; i < size; ++i) buffer[(i / 64) * 64 * step + i % 64] = rank == 0 ? content(i, round) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    reset_peak();
    const long before = status_kib("VmHWM:");
    if (late) usleep(500000);
    if (sums)
      MPI_Allreduce(MPI_IN_PLACE, buffer, (int)size, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
    else
      MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD);
    long rise = status_kib("VmHWM:") - before;
    int wrong = 0;
    for (size_t i = 0; i < size; ++i) wrong |= buffer[(i / 64) * 64 * step + i % 64] != content(i, round);
    MPI_Allreduce(MPI_IN_PLACE, &rise, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
      printf("{\"message_bytes\": %zu, \"first\": %s, \"late_receivers\": %s, \"extra_kib\": %ld, \"right\": %s}\n",
             size, round == 0 ? "true" : "false", round == 2 ? "true" : "false", rise, wrong ? "false" : "true");
    }
    MPI_Type_free(&type);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
