/* SPDX-License-Identifier: Apache-2.0
 * Preloaded, answers MPI_Bcast with the generated function for the call's root: one plan for each root of RANKS ranks.
 * Says at the end how often a plan ran on this rank and how often MPI's own broadcast did.
 */
#include <mpi.h>
#include <stdio.h>

typedef int Bcast(void*, int, MPI_Datatype, int, MPI_Comm);

extern Bcast* const bcast_from_root[RANKS];

static _Thread_local int inside;
static _Atomic int planned, native;

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int code = MPI_SUCCESS;
  if (inside > 0) { /* the generated function's own call */
    ++native;
    --planned;
    return PMPI_Bcast(buffer, count, type, root, comm);
  }
  ++inside;
  ++planned;
  code = bcast_from_root[root >= 0 && root < RANKS ? root : 0](buffer, count, type, root, comm);
  --inside;
  return code;
}

__attribute__((destructor)) static void say(void) {
  fprintf(stderr, "generated: %d planned, %d native\n", planned, native);
}
