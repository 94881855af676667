/* SPDX-License-Identifier: Apache-2.0 */
/* papers-matmul RANKS:ORDER[:STEPS]...: papers/programs/matmul.c on the first RANKS ranks of the job, once for
 * each word, with --check. It prints a line each time, as it does by itself; exit status 0 or 1. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm whole_job(void) { return MPI_COMM_WORLD; }
static MPI_Comm some = MPI_COMM_NULL;

#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD some
#define MPI_Init(count, words) ((void)(count))
#define MPI_Finalize() ((void)0)
#define main multiply_matrices
#include "../../programs/matmul.c"
#undef main

int main(int argc, char** argv) {
  int wrong_cases = 0;
  int own = 0;
  PMPI_Init(&argc, &argv);
  MPI_Comm_rank(whole_job(), &own);
  for (int i = 1; i < argc; ++i) {
    char* words[] = {argv[0], "--check", "--order", NULL, NULL, NULL, NULL};
    const int takes_part = own < atoi(strtok(argv[i], ":"));
    words[3] = strtok(NULL, ":");
    words[5] = strtok(NULL, ":");
    if (words[5]) words[4] = "--steps";
    steps = 1; /* what a case before has left */
    sending = 0;
    MPI_Comm_split(whole_job(), takes_part ? 0 : MPI_UNDEFINED, own, &some);
    if (takes_part) {
      wrong_cases += multiply_matrices(words[5] ? 6 : 4, words) != 0;
      MPI_Comm_free(&some);
    }
    PMPI_Barrier(whole_job()); /* the lines of a case come before those of the next */
  }
  PMPI_Finalize();
  return wrong_cases > 0;
}
