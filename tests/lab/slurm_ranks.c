/* Every rank of a job: its host, the preload library that it has, and what its broadcast ran. Rank 0 prints a line
 * each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 256, BYTES = 256 * 1024 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* data = malloc(BYTES);
  memset(data, rank == 0 ? 7 : 0, BYTES);
  MPI_Bcast(data, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
  int right = 1;
  for (int i = 0; i < BYTES; ++i) right = right && data[i] == 7;

  const char* (*version)(void) = (const char* (*)(void))dlsym(RTLD_DEFAULT, "trunkline_version");
  const char* (*last)(const char*) = (const char* (*)(const char*))dlsym(RTLD_DEFAULT, "trunkline_last");
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  char own[WORDS] = "";
  snprintf(own, sizeof own, "rank %d host %s %s ran %s library %s", rank, host, right ? "right" : "wrong",
           last ? last("bcast") : "without", version ? version() : "none");
  char* all = malloc((size_t)ranks * WORDS);
  MPI_Gather(own, WORDS, MPI_CHAR, all, WORDS, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < ranks; ++i) puts(all + (size_t)i * WORDS);
  fflush(stdout);
  if (argc > 1) sleep((unsigned)atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
