/* SPDX-License-Identifier: Apache-2.0
 * generated-reductions ROOT SEGMENT: checks a generated trunkline_reduce and trunkline_allreduce, to which it is
 * linked, on as many ranks as their plans have. Prints what failed on which rank, and "N passed, M failed".
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_cases.h"

int trunkline_reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, int root,
                     MPI_Comm comm);
int trunkline_allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm);

static int rank, ranks, plan_root, segment;
static int failures; /* of this case, on this rank */
static int native;   /* calls of MPI's own function */

int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, int root,
               MPI_Comm comm) {
  ++native;
  return PMPI_Reduce(send, receive, count, type, operation, root, comm);
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  ++native;
  return PMPI_Allreduce(send, receive, count, type, operation, comm);
}

static void expect(int ok, const char* what, long detail) {
  if (ok) return;
  ++failures;
  if (failures < 5) fprintf(stderr, "FAILED on rank %d of %d: %s (%ld)\n", rank, ranks, what, detail);
}

static void expect_native(int times, const char* what) {
  expect(native == times, what, native);
  native = 0;
}

enum { most = 40000 };

static long long operand(int of, int at) { return at * 31LL + of * 1000003LL; }

static long long sum_at(int at) { return at * 31LL * ranks + 1000003LL * ranks * (ranks - 1) / 2; }

/* One call with each function; -1 is what nobody may write over. */
static void sums(int count, int in_place, MPI_Comm comm, int times) {
  static long long own[most], got[most];
  int me = 0;
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < count; ++i) {
    own[i] = operand(me, i);
    got[i] = in_place ? own[i] : -1;
  }
  trunkline_allreduce(in_place ? MPI_IN_PLACE : own, got, count, MPI_LONG_LONG, MPI_SUM, comm);
  for (int i = 0; i < count; ++i) expect(got[i] == sum_at(i), "allreduce", i);
  for (int i = 0; i < count; ++i) expect(own[i] == operand(me, i), "allreduce, the operand", i);
  expect_native(times, "allreduce ran the other way");

  const int here = me == plan_root;
  for (int i = 0; i < count; ++i) got[i] = here && in_place ? own[i] : -1;
  trunkline_reduce(here && in_place ? MPI_IN_PLACE : own, here ? got : NULL, count, MPI_LONG_LONG, MPI_SUM, plan_root,
                   comm);
  for (int i = 0; i < count; ++i) expect(got[i] == (here ? sum_at(i) : -1), "reduce", i);
  for (int i = 0; i < count; ++i) expect(own[i] == operand(me, i), "reduce, the operand", i);
  expect_native(times, "reduce ran the other way");
}

static void every_length(void) {
  const int each = segment / 8 > 0 ? segment / 8 : 1;
  const int counts[] = {1,        2,        3,        each,          each + 1,      2 * each - 1,
                        2 * each, 5 * each, 7 * each, 40 * each + 1, 90 * each - 1, most};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    const int count = counts[i] < most ? counts[i] : most;
    sums(count, 0, MPI_COMM_WORLD, 0);
    sums(count, 1, MPI_COMM_WORLD, 0);
  }
}

/* Calls meet the next ones' messages; somebody is late now and then. */
static void back_to_back(void) {
  for (int turn = 0; turn < 40; ++turn) {
    if (turn % 13 == 5 && turn % ranks == rank) usleep(20000);
    sums(turn * 37 % 900 + 1, turn % 2, MPI_COMM_WORLD, 0);
  }
  /* What is sent to it waits in the senders' memory. */
  for (int late = 0; late < ranks; ++late) {
    if (late == rank) usleep(20000);
    sums(segment < 1000 ? 5 * segment : most, late % 2, MPI_COMM_WORLD, 0);
  }
}

/* Any order of operands rounds otherwise, so equal bits show the same order. */
static void equal_bits(void) {
  enum { count = 3000 };
  static double own[count], first[count], next[count], other[count];
  for (int i = 0; i < count; ++i) own[i] = 1.0 / (3.0 + i + rank * 0.7);
  trunkline_allreduce(own, first, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int again = 0; again < 3; ++again) {
    if (again == rank) usleep(5000);
    memcpy(next, own, sizeof next);
    trunkline_allreduce(again == 1 ? MPI_IN_PLACE : own, next, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect(memcmp(first, next, sizeof first) == 0, "other bits the next time", again);
  }
  memcpy(other, first, sizeof other);
  PMPI_Bcast(other, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  expect(memcmp(first, other, sizeof first) == 0, "other bits than rank 0", 0);
  memcpy(next, first, sizeof next);
  trunkline_reduce(own, next, count, MPI_DOUBLE, MPI_SUM, plan_root, MPI_COMM_WORLD);
  expect(memcmp(first, next, sizeof first) == 0, "other bits of a reduce over the same trees", 0);
  /* The least of 0 and -0 is either of them, whatever the library finds first: that must be one on all ranks. */
  for (int i = 0; i < count; ++i) own[i] = (i / (rank + 1) + rank) % 2 ? 0.0 : -0.0;
  trunkline_allreduce(own, next, count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  memcpy(other, next, sizeof other);
  PMPI_Bcast(other, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  expect(memcmp(next, other, sizeof next) == 0, "other zeros than rank 0", 0);
  expect_native(0, "ran natively");
}

static void every_operation(void) {
  const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                               MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  enum { count = 337 };
  int own[count], got[count], right[count];
  struct {
    double value;
    int at;
  } place[count], least[count], where[count];
  for (int i = 0; i < count; ++i) own[i] = (rank * 5 + i * 3) % 4;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    PMPI_Allreduce(own, right, count, MPI_INT, operations[i], MPI_COMM_WORLD);
    trunkline_allreduce(own, got, count, MPI_INT, operations[i], MPI_COMM_WORLD);
    expect(memcmp(got, right, sizeof right) == 0, "another result than MPI's own", (long)i);
    memset(got, 0, sizeof got);
    trunkline_reduce(own, got, count, MPI_INT, operations[i], plan_root, MPI_COMM_WORLD);
    expect(rank != plan_root || memcmp(got, right, sizeof right) == 0, "reduce: another result than MPI's own",
           (long)i);
  }
  memset(place, 0, sizeof place);
  for (int i = 0; i < count; ++i) {
    place[i].value = (rank * 5 + i * 3) % 4;
    place[i].at = rank * 100 + i % 50;
  }
  memset(where, 0, sizeof where);
  memset(least, 0, sizeof least);
  PMPI_Allreduce(place, least, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  trunkline_allreduce(place, where, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    expect(least[i].value == where[i].value && least[i].at == where[i].at, "the place of the least", i);
  }
  expect_native(0, "ran natively");
}

/* An element of a double and an int, with a gap after them. */
static void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(*type, &low, &extent);
  for (int i = 0; i < *count; ++i) {
    char* const from = (char*)in + i * extent;
    char* const to = (char*)inout + i * extent;
    *(double*)(void*)to += *(double*)(void*)from;
    *(int*)(void*)(to + 8) += *(int*)(void*)(from + 8);
  }
}

/* Elements of any extent from the middle of a room; what lies between them stays as it was. */
static void with_gaps(MPI_Aint low, MPI_Aint extent, int count, const char* what) {
  enum { room = 1 << 16, middle = room / 2 };
  static char own[room], got[room], right[room];
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype tight = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(combine, 1, &operation);
  MPI_Type_create_struct(2, lengths, places, types, &tight);
  MPI_Type_create_resized(tight, low, extent, &type);
  MPI_Type_commit(&type);
  memset(own, 0x11, room);
  memset(right, 0x5A, room);
  for (int i = 0; i < count; ++i) {
    *(double*)(void*)(own + middle + i * extent) = rank * 0.5 + i;
    *(int*)(void*)(own + middle + i * extent + 8) = rank + 3 * i;
    *(double*)(void*)(right + middle + i * extent) = ranks * (ranks - 1) * 0.25 + (double)i * ranks;
    *(int*)(void*)(right + middle + i * extent + 8) = ranks * (ranks - 1) / 2 + 3 * i * ranks;
  }
  memset(got, 0x5A, room);
  trunkline_allreduce(own + middle, got + middle, count, type, operation, MPI_COMM_WORLD);
  expect(memcmp(got, right, room) == 0, what, count);
  memset(got, 0x5A, room);
  trunkline_reduce(own + middle, got + middle, count, type, operation, plan_root, MPI_COMM_WORLD);
  if (rank != plan_root) memset(right, 0x5A, room);
  expect(memcmp(got, right, room) == 0, what, -count);
  memcpy(got, own, room);
  trunkline_allreduce(MPI_IN_PLACE, got + middle, count, type, operation, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    expect(*(int*)(void*)(got + middle + i * extent + 8) == ranks * (ranks - 1) / 2 + 3 * i * ranks, what, i);
    if (extent >= 24) expect(got[middle + i * extent + 17] == 0x11, "a gap", i);
  }
  expect_native(0, "ran natively");
  MPI_Op_free(&operation);
  MPI_Type_free(&type);
  MPI_Type_free(&tight);
}

static void gaps(void) {
  with_gaps(0, 16, 300, "close together");
  with_gaps(0, 48, 300, "apart");
  with_gaps(-24, 64, 300, "a gap in front");
  with_gaps(0, 16, 1, "one element");
  with_gaps(0, -32, 300, "backwards");
}

/* A matrix product of 2 x 2: the order of operands shows. */
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    const long long* const a = (long long*)in + i * 4;
    long long* const b = (long long*)inout + i * 4;
    const long long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                            a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

static void what_does_not_commute(void) {
  long long own[4] = {1, rank, 1, 2}, got[4] = {0}, right[4] = {0};
  MPI_Op operation = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op_create(multiply, 0, &operation);
  MPI_Type_contiguous(4, MPI_LONG_LONG, &type);
  MPI_Type_commit(&type);
  PMPI_Allreduce(own, right, 1, type, operation, MPI_COMM_WORLD);
  trunkline_allreduce(own, got, 1, type, operation, MPI_COMM_WORLD);
  expect(memcmp(got, right, sizeof got) == 0, "operands out of order", 0);
  trunkline_reduce(own, got, 1, type, operation, plan_root, MPI_COMM_WORLD);
  expect_native(2, "an operation that does not commute");
  MPI_Type_free(&type);
  MPI_Op_free(&operation);
}

static void other_communicators(void) {
  MPI_Comm made = MPI_COMM_NULL;
  long long own = rank, got = -1;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made);
  sums(700, 0, made, 0);
  sums(700, 1, made, 0);
  MPI_Comm_free(&made);
  trunkline_allreduce(&own, &got, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_SELF);
  expect(got == rank, "MPI_COMM_SELF", (long)got);
  trunkline_reduce(&own, &got, 1, MPI_LONG_LONG, MPI_SUM, (plan_root + 1) % ranks, MPI_COMM_WORLD);
  trunkline_reduce(&own, &got, 0, MPI_LONG_LONG, MPI_SUM, plan_root, MPI_COMM_WORLD);
  expect_native(3, "one rank, another root, nothing to add");

  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &made);
  own = 1;
  trunkline_allreduce(&own, &got, 1, MPI_LONG_LONG, MPI_SUM, made);
  expect(got == (rank == 0 ? ranks - 1 : 1), "between communicators", (long)got);
  expect_native(1, "between communicators");
  MPI_Comm_free(&made);
  MPI_Comm_free(&side);
}

/* MPI itself reports what is wrong, to the communicator's handler: of what all libraries find without harm. */
static void wrong_arguments(void) {
  MPI_Comm made = MPI_COMM_NULL;
  double own[4] = {0}, got[4] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  expect(trunkline_allreduce(own, got, 4, MPI_DOUBLE, MPI_BAND, made) != MPI_SUCCESS, "bits of doubles", 0);
  expect(trunkline_allreduce(own, got, 2, MPI_DOUBLE, MPI_MAXLOC, made) != MPI_SUCCESS, "the place of doubles", 0);
  expect(trunkline_allreduce(own, got, 1, MPI_DOUBLE, MPI_OP_NULL, made) != MPI_SUCCESS, "no operation", 0);
  expect(trunkline_reduce(own, got, 1, MPI_DOUBLE, MPI_SUM, ranks, made) != MPI_SUCCESS, "no such root", 0);
  expect_native(4, "judged by the routine");
  MPI_Comm_free(&made);
}

/* From anybody on MPI_COMM_SELF, posted before all other cases. */
static MPI_Request from_anybody = MPI_REQUEST_NULL;

static void keeps_away_from_a_receive(void) {
  int taken = 0;
  MPI_Test(&from_anybody, &taken, MPI_STATUS_IGNORE);
  expect(!taken, "a receive of the program's got a message", 0);
  if (taken) return;
  MPI_Cancel(&from_anybody);
  MPI_Wait(&from_anybody, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static const struct named_case cases[] = {
      {"every length", every_length},
      {"back to back", back_to_back},
      {"equal bits", equal_bits},
      {"every operation", every_operation},
      {"gaps", gaps},
      {"what does not commute", what_does_not_commute},
      {"other communicators", other_communicators},
      {"wrong arguments", wrong_arguments},
      {"a receive of the program's own", keeps_away_from_a_receive},
  };
  int failed = 0;
  int word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  plan_root = atoi(argv[1]);
  segment = atoi(argv[2]);
  MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &from_anybody);
  failed = run_cases(cases, sizeof cases / sizeof *cases, &failures);
  MPI_Finalize();
  return failed > 0;
}
