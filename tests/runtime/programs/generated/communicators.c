/* SPDX-License-Identifier: Apache-2.0
 * Other communicators than the plan's, what is kept with one, and errors.
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"

void other_communicators(void) {
  MPI_Comm made = MPI_COMM_NULL;
  int size = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &made);
  MPI_Comm_size(made, &size);
  if (plan_root < size) broadcast_bytes(3 * segment, plan_root, made, 1, "of another size");
  serial = 0; /* alike on all ranks again */
  MPI_Comm_free(&made);

  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made);
  broadcast_bytes(3 * segment, plan_root, made, 0, "of the same size, in another order");
  broadcast_bytes(3 * segment, ranks - 1 - plan_root, made, ranks - 1 - plan_root != plan_root, "from another root");
  MPI_Comm_free(&made);
  broadcast_bytes(100, 0, MPI_COMM_SELF, 1, "MPI_COMM_SELF");
}

void inter_communicator(void) {
  const int left = rank == 0;
  unsigned char data[1000];
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, left, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, left ? 1 : 0, 5, &between);
  memset(data, left ? 7 : 0, sizeof data);
  calls.native = 0;
  trunkline_bcast(data, sizeof data, MPI_BYTE, left ? MPI_ROOT : 0, between);
  expect(calls.native == 1, "ran a plan between communicators", calls.native);
  expect(data[0] == 7 && data[999] == 7, "between communicators", data[0]);
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);
}

/* One communicator for the tree with each of the user's, made once, freed with it. */
void made_and_freed(void) {
  enum { turns = 20 };
  memset(&calls, 0, sizeof calls);
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm of_copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    broadcast_bytes(segment + 5, plan_root, copy, 0, "on a copy");
    broadcast_bytes(segment + 6, plan_root, copy, 0, "on a copy, again");
    MPI_Comm_dup(copy, &of_copy);
    MPI_Comm_free(&copy);
    broadcast_bytes(segment + 7, plan_root, of_copy, 0, "on a copy of a copy that is gone");
    MPI_Comm_free(&of_copy);
  }
  expect(calls.made == 2 * turns, "communicators made", calls.made);
  expect(calls.freed == 4 * turns, "communicators freed, the user's among them", calls.freed);
  broadcast_bytes(segment + 8, plan_root, MPI_COMM_WORLD, 0, "after that");
}

/* Left to MPI_Finalize. */
void never_freed(void) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  broadcast_bytes(segment, plan_root, copy, 0, "a communicator that nobody frees");
}

static int heard;
static MPI_Comm heard_from;

#if MPI_VERSION >= 2
static void listen(MPI_Comm* comm, int* code, ...) {
  (void)code;
  ++heard;
  heard_from = *comm;
}

static void set_handler(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(listen, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}
#else /* LAM/MPI cannot be asked to call a handler */
static void set_handler(MPI_Comm comm) { MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); }
#endif

/* The receiver's last segment is longer than the room for it. On more ranks those below would wait for it in vain. */
void less_room_than_data(void) {
  const int receives = rank != plan_root;
  unsigned char* data = NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
  if (ranks > 2) return;
  data = calloc((size_t)segment, 3);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  set_handler(copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* where MPICH reports what goes wrong in MPI_Wait */
  heard = 0;
  code = trunkline_bcast(data, 3 * segment - receives, MPI_BYTE, plan_root, copy);
  if (code != MPI_SUCCESS) MPI_Error_class(code, &code);
  expect(code == (receives ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the class of the error", code);
  if (MPI_VERSION >= 2) {
    expect(heard == receives, "times that the handler was called", heard);
    expect(!receives || heard_from == copy, "the handler heard of another communicator", heard);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&copy);
  free(data);
}
