/* SPDX-License-Identifier: Apache-2.0
 * Datatypes with and without gaps, alone and mixed.
 */
#include <string.h>

#include "cases.h"

/* Whether the routine looks into derived datatypes: not under LAM/MPI. */
enum { looks_inside = MPI_VERSION >= 2 };

/* `count` elements of a committed datatype whose data lies within 40 KB of the address. What is expected is what
 * MPI_Unpack makes of the same stream. */
static void broadcast_typed(MPI_Datatype type, int count, int solid, const char* what) {
  enum { room = 80000, middle = 40000 };
  static char data[room];
  static char right[room];
  static char stream[room];
  int size = 0;
  int at = 0;
  MPI_Type_size(type, &size);
  size *= count;
  ++serial;
  for (int i = 0; i < size; ++i) stream[i] = (char)content(i);
  memset(data, 0x5A, room);
  memset(right, 0x5A, room);
  PMPI_Unpack(stream, size, &at, right + middle, count, type, MPI_COMM_SELF);
  if (rank == plan_root) memcpy(data, right, room);
  memset(&calls, 0, sizeof calls);
  expect(trunkline_bcast(data + middle, count, type, plan_root, MPI_COMM_WORLD) == MPI_SUCCESS, what, count);
  expect(memcmp(data, right, room) == 0, what, count);
  expect(calls.native == 0, "ran natively", calls.native);
  expect(solid == (calls.packs + calls.unpacks == 0), solid ? "packed for nothing" : "not packed", calls.packs);
}

enum { vector, backwards, indexed, pairs, swapped, padded, one_large, contiguous, duplicate, dense, blocks, kinds };

/* 240 * 50 ints or the like as elements of each kind; returns how many. The last four have no gaps. */
static int make(int kind, MPI_Datatype* type) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  int lengths[3] = {3, 5, 4};
  int places[3] = {20, 2, 10};
  MPI_Aint addresses[2] = {8, 0};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  int count = 100;
  switch (kind) {
    case vector:
      MPI_Type_vector(4, 3, 5, MPI_INT, type);
      break;
    case backwards:
      MPI_Type_create_hvector(6, 2, -24, MPI_INT, type);
      break;
    case indexed:
      MPI_Type_indexed(3, lengths, places, MPI_INT, type);
      break;
    case pairs:
      MPI_Type_contiguous(6, MPI_2INT, type);
      break;
    case swapped: /* no gaps, but not in the order of the signature */
      lengths[0] = 1;
      lengths[1] = 2;
      MPI_Type_create_struct(2, lengths, addresses, types, type);
      count = 400;
      break;
    case padded:
#if MPI_VERSION >= 2
      MPI_Type_create_resized(MPI_INT, 0, 12, type);
#else /* LAM/MPI packs what it has resized wrongly */
      lengths[0] = lengths[1] = 1;
      addresses[0] = 0;
      addresses[1] = 12;
      types[1] = MPI_UB;
      MPI_Type_struct(2, lengths, addresses, types, type);
#endif
      count = 1200;
      break;
    case one_large:
      MPI_Type_vector(1200, 1, 2, MPI_INT, type);
      count = 1;
      break;
    case contiguous:
      MPI_Type_contiguous(5, MPI_INT, &inner);
      MPI_Type_contiguous(24, inner, type);
      count = 10;
      break;
    case duplicate:
      MPI_Type_contiguous(12, MPI_INT, &inner);
      MPI_Type_dup(inner, type);
      break;
    case dense:
      MPI_Type_vector(4, 3, 3, MPI_INT, type);
      break;
    default: /* blocks that follow each other */
      MPI_Type_contiguous(2, MPI_INT, &inner);
      lengths[0] = 1;
      lengths[1] = 4;
      addresses[0] = 0;
      addresses[1] = 8;
      types[0] = inner;
      MPI_Type_create_struct(2, lengths, addresses, types, type);
      count = 200;
      break;
  }
  if (inner != MPI_DATATYPE_NULL) MPI_Type_free(&inner);
  MPI_Type_commit(type);
  return count;
}

void every_datatype(void) {
  for (int kind = 0; kind < kinds; ++kind) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int count = make(kind, &type);
    broadcast_typed(type, count, looks_inside && (kind == pairs || kind >= contiguous), "a datatype");
    MPI_Type_free(&type);
  }
  broadcast_typed(MPI_DOUBLE, 600, 1, "doubles");
  broadcast_typed(MPI_DOUBLE_INT, 300, 0, "pairs with a gap");
}

/* Ranks with different datatypes of one signature: 1200 ints. */
void mixed_datatypes(void) {
  for (int turn = 0; turn < kinds; ++turn) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int kind = (rank + turn) % kinds;
    const int count = make(kind, &type);
    broadcast_typed(type, count, looks_inside && (kind == pairs || kind >= contiguous), "mixed datatypes");
    MPI_Type_free(&type);
  }
}

/* A description that holds addresses. */
void from_bottom(void) {
  static double reals[300];
  static int numbers[500];
  int lengths[2] = {500, 300};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  for (int i = 0; i < 300; ++i) reals[i] = rank == plan_root ? 0.5 * i : -1.0;
  for (int i = 0; i < 500; ++i) numbers[i] = rank == plan_root ? 3 * i : -1;
  MPI_Get_address(numbers, &places[0]);
  MPI_Get_address(reals, &places[1]);
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  trunkline_bcast(MPI_BOTTOM, 1, type, plan_root, MPI_COMM_WORLD);
  for (int i = 0; i < 300; ++i) expect(reals[i] == 0.5 * i, "a real", i);
  for (int i = 0; i < 500; ++i) expect(numbers[i] == 3 * i, "a number", i);
  MPI_Type_free(&type);
}

/* Every second of three ints is left out. */
void gaps_beyond_a_window(void) {
  enum { elements = 200000 };
  static int data[3 * elements];
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < 3 * elements; ++i) data[i] = i % 3 == 1 ? -2 : rank == plan_root ? i : -1;
  trunkline_bcast(data, elements, type, plan_root, MPI_COMM_WORLD);
  for (int i = 0; i < 3 * elements; ++i) {
    if (data[i] == (i % 3 == 1 ? -2 : i)) continue;
    expect(0, "data with gaps, more than a window", i);
    break;
  }
  MPI_Type_free(&type);
}
