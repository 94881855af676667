/* SPDX-License-Identifier: Apache-2.0
 * A program that checks a generated trunkline_bcast, to which it is linked. It keeps to what LAM/MPI 7.1 has too.
 */
#pragma once

#include <mpi.h>

int trunkline_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

extern int rank, ranks; /* of MPI_COMM_WORLD */
extern int plan_root;
extern int segment; /* bytes, of the plan */
extern int finalizing;
extern int serial; /* of broadcasts, alike on all ranks */

/* What the generated function called. */
extern struct calls {
  int native, packs, unpacks, made, freed;
  long long asked; /* bytes, of MPI_Irecv */
} calls;

/* Notes a failure where `ok` is false. */
void expect(int ok, const char* what, long detail);

/* The byte at a place of broadcast number `serial`. */
unsigned char content(long at);

/* Broadcasts MPI_BYTE and checks all of it; `native`: how often MPI_Bcast is to be called. */
void broadcast_bytes(int bytes, int root, MPI_Comm comm, int native, const char* what);

/* The cases. */
void around_segments(void);
void every_root(void);
void back_to_back(void);
void every_datatype(void);
void mixed_datatypes(void);
void from_bottom(void);
void gaps_beyond_a_window(void);
void other_communicators(void);
void inter_communicator(void);
void made_and_freed(void);
void never_freed(void);
void less_room_than_data(void);
