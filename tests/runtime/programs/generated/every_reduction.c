/* SPDX-License-Identifier: Apache-2.0
 * Preloaded, answers MPI_Reduce with the generated function for the call's root, and MPI_Allreduce with those of each
 * root in turn: one plan for each root of RANKS ranks. Says at the end how often a plan ran on this rank and how often
 * MPI's own functions did.
 */
#include <mpi.h>
#include <stdio.h>

typedef int Reduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

extern Reduce* const reduce_to_root[RANKS];
extern Allreduce* const allreduce_over_root[RANKS];

static _Thread_local int inside;
static _Atomic int planned, native;

/* Whether it is the generated function's own call. */
static int is_own_call(void) {
  if (inside > 0) {
    ++native;
    --planned;
    return 1;
  }
  ++planned;
  return 0;
}

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, int root,
               MPI_Comm comm) {
  int code = MPI_SUCCESS;
  if (is_own_call()) return PMPI_Reduce(send, receive, count, type, operation, root, comm);
  ++inside;
  code = reduce_to_root[root >= 0 && root < RANKS ? root : 0](send, receive, count, type, operation, root, comm);
  --inside;
  return code;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  int code = MPI_SUCCESS;
  if (is_own_call()) return PMPI_Allreduce(send, receive, count, type, operation, comm);
  ++inside;
  code = allreduce_over_root[count > 0 ? count % RANKS : 0](send, receive, count, type, operation, comm);
  --inside;
  return code;
}

__attribute__((destructor)) static void say(void) {
  fprintf(stderr, "generated: %d planned, %d native\n", planned, native);
}
