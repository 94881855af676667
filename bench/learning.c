/* SPDX-License-Identifier: Apache-2.0
 * A collective again and again, so that a job may learn what is fastest: MPI_..., which the preload library takes,
 * beside PMPI_..., which goes past it, in batches that take turns. Calls of a batch come one right after the other.
 *
 *     mpiexec -n 32 env LD_PRELOAD=... TRUNKLINE_CLUSTER=paper-4 TRUNKLINE_LEARN=1 \
 *         trunkline-learning-MPI bcast|allreduce|allgather BYTES [BATCHES]
 *
 * Sums are of whole numbers. Prints one JSON object: milliseconds of a call, by batches of 10, both ways.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 10, MOST = 1000 };

struct job {
  const char* collective;
  int count;
  int ranks;
  int* given;
  int* result;
};

static int call(const struct job* job, int ours) {
  if (strcmp(job->collective, "bcast") == 0) {
    return ours ? MPI_Bcast(job->result, job->count, MPI_INT, 0, MPI_COMM_WORLD)
                : PMPI_Bcast(job->result, job->count, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (strcmp(job->collective, "allreduce") == 0) {
    return ours ? MPI_Allreduce(job->given, job->result, job->count, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
                : PMPI_Allreduce(job->given, job->result, job->count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  const int each = job->count / job->ranks;
  return ours ? MPI_Allgather(job->given, each, MPI_INT, job->result, each, MPI_INT, MPI_COMM_WORLD)
              : PMPI_Allgather(job->given, each, MPI_INT, job->result, each, MPI_INT, MPI_COMM_WORLD);
}

static double batch_ms(const struct job* job, int ours) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int one = 0; one < CALLS; ++one) call(job, ours);
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
  int rank = 0;
  struct job job = {.collective = argc > 1 ? argv[1] : "bcast"};
  const int bytes = argc > 2 ? atoi(argv[2]) : 65536;
  int batches = argc > 3 ? atoi(argv[3]) : 40;
  if (batches > MOST) batches = MOST;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.count = bytes / (int)sizeof(int);
  job.given = calloc((size_t)job.count + 1, sizeof(int));
  job.result = calloc((size_t)job.count + 1, sizeof(int));
  for (int at = 0; at < batches; ++at) {
    ours[at] = batch_ms(&job, 1);
    native[at] = batch_ms(&job, 0);
  }
  if (rank == 0) {
    printf("{\"collective\": \"%s\", \"bytes\": %d, \"ranks\": %d, ", job.collective, bytes, job.ranks);
    print("ours_ms", ours, batches, ", ");
    print("native_ms", native, batches, "}\n");
  }
  free(job.given);
  free(job.result);
  MPI_Finalize();
  return 0;
}
