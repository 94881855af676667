/* SPDX-License-Identifier: Apache-2.0
 * Announces from every root, a vector with gaps among it, and broadcasts beside it; 0 where every byte was right. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef int announce(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator);
enum { BYTES = 65536 };
static unsigned char data[2 * BYTES];

static int is_right(int step, int seed) {
  for (int i = 0; i < BYTES; ++i) {
    if (data[i * step] != (unsigned char)(i * 7 + seed)) return 0;
  }
  return 1;
}

static void fill(int step, int seed, int has) {
  memset(data, 0, sizeof data);
  for (int i = 0; has && i < BYTES; ++i) data[i * step] = (unsigned char)(i * 7 + seed);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  announce* ours = NULL;
  *(void**)&ours = dlsym(RTLD_DEFAULT, "MPI_Announce");
  if (!ours) {
    fprintf(stderr, "there is no MPI_Announce\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  MPI_Datatype gaps;
  MPI_Type_vector(BYTES, 1, 2, MPI_BYTE, &gaps);
  MPI_Type_commit(&gaps);
  for (int root = 0; root < ranks; ++root) {
    fill(1, root, rank == root);
    ours(data, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
    wrong += !is_right(1, root);
    fill(2, root + 1, rank == root);
    ours(data, 1, gaps, root, MPI_COMM_WORLD);
    wrong += !is_right(2, root + 1);
    fill(1, root + 2, rank == root);
    MPI_Bcast(data, BYTES, MPI_BYTE, root, MPI_COMM_WORLD);
    wrong += !is_right(1, root + 2);
  }
  MPI_Type_free(&gaps);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  MPI_Finalize();
  return all != 0;
}
