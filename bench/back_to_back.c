/* SPDX-License-Identifier: Apache-2.0
 * One broadcast after another, for so long: `bench/beside_tcp.py` runs it.
 *
 *     trunkline-back-to-back-MPI BYTES SECONDS
 *
 * Prints "back to back" and the bits a second that each rank got, from rank 0.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP = 3, CALLS_A_LOOK = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) {
    fprintf(stderr, "usage: trunkline-back-to-back-MPI BYTES SECONDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  const int bytes = atoi(argv[1]);
  const double seconds = atof(argv[2]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const data = calloc((size_t)bytes, 1);
  for (int call = 0; call < WARM_UP; ++call) MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  long long calls = 0;
  for (int goes_on = 1; goes_on; calls += CALLS_A_LOOK) {
    for (int call = 0; call < CALLS_A_LOOK; ++call) MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    goes_on = MPI_Wtime() - start < seconds;
    PMPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("back to back %.0f\n", (double)calls * bytes * 8.0 / (MPI_Wtime() - start));
  free(data);
  MPI_Finalize();
  return 0;
}
