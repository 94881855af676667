/* SPDX-License-Identifier: Apache-2.0
 * What long broadcasts cost the processors of their ranks: unlike their time, it says something on a machine where
 * other programs run.
 *
 *     mpiexec -n 3 env LD_PRELOAD=... TRUNKLINE_BCAST=multicast trunkline-processor-time-MPI [BYTES [CALLS]]
 *
 * Of BYTES (16 MiB) from rank 0, CALLS times (30). Checks every byte. Prints one JSON object: nanoseconds of a
 * processor for each byte, of the root and of the receiver that took most, and how often a rank slept for each MB, at
 * most.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { WARM_UP = 5 };

static double seconds_of(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

static struct rusage used(void) {
  struct rusage so_far;
  getrusage(RUSAGE_SELF, &so_far);
  return so_far;
}

static unsigned char byte_at(long place, int call) { return (unsigned char)(place * 7 + place / 256 + call); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long bytes = argc > 1 ? atol(argv[1]) : 1L << 24;
  const int calls = argc > 2 ? atoi(argv[2]) : 30;
  unsigned char* const message = malloc((size_t)bytes);
  if (message == NULL || bytes < 1 || bytes > 1L << 30 || calls < 1) MPI_Abort(MPI_COMM_WORLD, 2);
  double busy = 0.0;
  double sleeps = 0.0;
  for (int call = 0; call < WARM_UP + calls; ++call) {
    for (long i = 0; i < bytes; ++i) message[i] = rank == 0 ? byte_at(i, call) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const struct rusage before = used();
    MPI_Bcast(message, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    const struct rusage after = used();
    for (long i = 0; i < bytes; ++i) {
      if (message[i] != byte_at(i, call)) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (call < WARM_UP) continue;
    busy += seconds_of(after.ru_utime) + seconds_of(after.ru_stime) - seconds_of(before.ru_utime) -
            seconds_of(before.ru_stime);
    sleeps += (double)(after.ru_nvcsw - before.ru_nvcsw);
  }
  const double all_bytes = (double)bytes * calls;
  double own[3] = {rank == 0 ? busy / all_bytes * 1e9 : 0.0, rank == 0 ? 0.0 : busy / all_bytes * 1e9,
                   sleeps / all_bytes * 1e6};
  double most[3];
  MPI_Reduce(own, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("{\"ranks\": %d, \"bytes\": %ld, \"root_ns\": %.3f, \"receiver_ns\": %.3f, \"sleeps_a_MB\": %.1f}\n", ranks,
           bytes, most[0], most[1], most[2]);
  }
  free(message);
  MPI_Finalize();
  return 0;
}
