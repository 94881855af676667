/* SPDX-License-Identifier: Apache-2.0
 * generated-shares: checks generated functions of collectives that go by shares, and a barrier, to which it is linked,
 * on as many ranks as their plans have. Prints what failed on which rank, and "N passed, M failed".
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run_cases.h"

int trunkline_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count,
                        MPI_Datatype type, MPI_Comm comm);
int trunkline_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                         const int starts[], MPI_Datatype type, MPI_Comm comm);
int trunkline_reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op operation,
                             MPI_Comm comm);
int trunkline_reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                                   MPI_Comm comm);
int trunkline_barrier(MPI_Comm comm);

static int rank, ranks;
static int failures; /* of this case, on this rank */
static int native;   /* calls of MPI's own functions */

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  ++native;
  return PMPI_Allgather(send, send_count, send_type, receive, count, type, comm);
}

int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int counts[],
                   const int starts[], MPI_Datatype type, MPI_Comm comm) {
  ++native;
  return PMPI_Allgatherv(send, send_count, send_type, receive, counts, starts, type, comm);
}

int MPI_Reduce_scatter(const void* send, void* receive, const int counts[], MPI_Datatype type, MPI_Op operation,
                       MPI_Comm comm) {
  ++native;
  return PMPI_Reduce_scatter(send, receive, counts, type, operation, comm);
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                             MPI_Comm comm) {
  ++native;
  return PMPI_Reduce_scatter_block(send, receive, count, type, operation, comm);
}

int MPI_Barrier(MPI_Comm comm) {
  ++native;
  return PMPI_Barrier(comm);
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

enum { most_ranks = 16, most_each = 20000, room = most_ranks * most_each };

static long long own[room], got[room];

static long long value(int of, int at) { return at * 31LL + of * 1000003LL; }

static long long sum_at(int at) { return at * 31LL * ranks + 1000003LL * ranks * (ranks - 1) / 2; }

/* Elements of a rank's share; the shares of some ranks are empty. */
static int share(int of, int each) { return of % 3 == 1 ? 0 : each + of % 2; }

static void gather_even(int each, int in_place, MPI_Comm comm, int me) {
  for (int i = 0; i < ranks * each; ++i) got[i] = -1;
  for (int i = 0; i < each; ++i) own[i] = value(me, i);
  if (in_place) memcpy(got + (size_t)me * (size_t)each, own, (size_t)each * sizeof *own);
  trunkline_allgather(in_place ? MPI_IN_PLACE : own, each, MPI_LONG_LONG, got, each, MPI_LONG_LONG, comm);
  for (int i = 0; i < ranks * each; ++i) expect(got[i] == value(i / each, i % each), "allgather", i);
}

/* The shares lie in backward order, an element apart. */
static void gather_uneven(int each, int in_place, MPI_Comm comm, int me) {
  int counts[most_ranks], starts[most_ranks], end = 0;
  for (int of = ranks - 1; of >= 0; --of) {
    counts[of] = share(of, each);
    starts[of] = end;
    end += counts[of] + 1;
  }
  for (int i = 0; i < end; ++i) got[i] = -1;
  for (int i = 0; i < counts[me]; ++i) own[i] = value(me, i);
  if (in_place) memcpy(got + starts[me], own, (size_t)counts[me] * sizeof *own);
  trunkline_allgatherv(in_place ? MPI_IN_PLACE : own, counts[me], MPI_LONG_LONG, got, counts, starts, MPI_LONG_LONG,
                       comm);
  for (int of = 0; of < ranks; ++of) {
    for (int i = 0; i < counts[of]; ++i) expect(got[starts[of] + i] == value(of, i), "allgatherv", i);
    expect(got[starts[of] + counts[of]] == -1, "allgatherv, behind a share", of);
  }
}

static void sum_even(int each, int in_place, MPI_Comm comm, int me) {
  for (int i = 0; i < ranks * each; ++i) own[i] = value(me, i);
  for (int i = 0; i < ranks * each; ++i) got[i] = in_place ? own[i] : -1;
  trunkline_reduce_scatter_block(in_place ? MPI_IN_PLACE : own, got, each, MPI_LONG_LONG, MPI_SUM, comm);
  for (int i = 0; i < each; ++i) expect(got[i] == sum_at(me * each + i), "reduce-scatter-block", i);
  if (!in_place && ranks > 1) expect(got[each] == -1, "reduce-scatter-block, behind the share", each);
  for (int i = 0; i < ranks * each; ++i) expect(own[i] == value(me, i), "reduce-scatter-block, the operand", i);
}

static void sum_uneven(int each, int in_place, MPI_Comm comm, int me) {
  int counts[most_ranks], start = 0, total = 0;
  for (int of = 0; of < ranks; ++of) {
    counts[of] = share(of, each);
    if (of < me) start += counts[of];
    total += counts[of];
  }
  for (int i = 0; i < total; ++i) own[i] = value(me, i);
  for (int i = 0; i < total; ++i) got[i] = in_place ? own[i] : -1;
  trunkline_reduce_scatter(in_place ? MPI_IN_PLACE : own, got, counts, MPI_LONG_LONG, MPI_SUM, comm);
  for (int i = 0; i < counts[me]; ++i) expect(got[i] == sum_at(start + i), "reduce-scatter", i);
  if (!in_place && counts[me] < total) expect(got[counts[me]] == -1, "reduce-scatter, behind the share", me);
  for (int i = 0; i < total; ++i) expect(own[i] == value(me, i), "reduce-scatter, the operand", i);
}

static void all_four(int each, int in_place, MPI_Comm comm, int times, const char* what) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  gather_even(each, in_place, comm, me);
  gather_uneven(each, in_place, comm, me);
  sum_even(each, in_place, comm, me);
  sum_uneven(each, in_place, comm, me);
  expect_native(times, what);
}

static void every_length(void) {
  const int lengths[] = {1, 2, 3, 7, 8, 9, 63, 64, 1000, most_each - 2};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    all_four(lengths[i], 0, MPI_COMM_WORLD, 0, "ran natively");
    all_four(lengths[i], 1, MPI_COMM_WORLD, 0, "in place ran natively");
  }
}

/* Calls meet the next ones' messages; somebody is late now and then. */
static void back_to_back(void) {
  for (int turn = 0; turn < 40; ++turn) {
    if (turn % 13 == 5 && turn % ranks == rank) usleep(20000);
    all_four(turn * 37 % 900 + 1, turn % 2, MPI_COMM_WORLD, 0, "ran natively");
  }
}

/* Ranks describe the same shares by other datatypes, some with gaps. */
static void other_datatypes(void) {
  enum { each = 120 };
  MPI_Datatype pair = MPI_DATATYPE_NULL, wide = MPI_DATATYPE_NULL;
  int counts[most_ranks], starts[most_ranks];
  MPI_Type_contiguous(2, MPI_LONG_LONG, &pair);
  MPI_Type_create_resized(pair, 0, 3 * (MPI_Aint)sizeof *own, &wide);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&wide);
  const int odd = rank % 2;
  const int stride = odd ? 3 : 2;
  for (int uneven = 0; uneven < 2; ++uneven) {
    for (int i = 0; i < 2 * each; ++i) own[i] = value(rank, i);
    for (int i = 0; i < room; ++i) got[i] = -1;
    for (int of = 0; of < ranks; ++of) {
      counts[of] = each - uneven * of;
      starts[of] = each * of;
    }
    const int mine = counts[rank];
    if (uneven) {
      trunkline_allgatherv(own, 2 * mine, MPI_LONG_LONG, got, counts, starts, odd ? wide : pair, MPI_COMM_WORLD);
    } else {
      trunkline_allgather(own, 2 * mine, MPI_LONG_LONG, got, each, odd ? wide : pair, MPI_COMM_WORLD);
    }
    for (int of = 0; of < ranks; ++of) {
      for (int i = 0; i < 2 * counts[of]; ++i) {
        const long long* const element = got + (each * of + i / 2) * stride;
        expect(element[i % 2] == value(of, i), "other datatypes", i);
        if (odd) expect(element[2] == -1, "a gap", i);
      }
    }
    expect_native(0, "other datatypes ran natively");
  }
  MPI_Type_free(&wide);
  MPI_Type_free(&pair);
}

/* An element of a long long, and one that stays as it was. */
static void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((long long*)inout)[2 * i] += ((long long*)in)[2 * i];
}

static void operations_of_the_program(void) {
  enum { each = 150 };
  MPI_Op sum = MPI_OP_NULL, ordered = MPI_OP_NULL;
  MPI_Datatype wide = MPI_DATATYPE_NULL, pair = MPI_DATATYPE_NULL;
  long long right[2 * each];
  MPI_Op_create(combine, 1, &sum);
  MPI_Op_create(combine, 0, &ordered);
  MPI_Type_create_resized(MPI_LONG_LONG, 0, 2 * (MPI_Aint)sizeof *own, &wide);
  MPI_Type_commit(&wide);
  for (int i = 0; i < 2 * each * ranks; ++i) own[i] = i % 2 ? -7 : value(rank, i / 2);
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int i = 0; i < 2 * each * ranks; ++i) got[i] = in_place ? own[i] : -5;
    trunkline_reduce_scatter_block(in_place ? MPI_IN_PLACE : own, got, each, wide, sum, MPI_COMM_WORLD);
    for (int i = 0; i < each; ++i) {
      expect(got[2 * i] == sum_at(rank * each + i), "elements with gaps", i);
      expect(got[2 * i + 1] == (in_place ? -7 : -5), "a gap", i);
    }
  }
  expect_native(0, "elements with gaps ran natively");
  memset(right, 0, sizeof right);
  MPI_Type_contiguous(2, MPI_LONG_LONG, &pair); /* MPICH 4 itself writes beyond elements with gaps */
  MPI_Type_commit(&pair);
  PMPI_Reduce_scatter_block(own, right, each, pair, ordered, MPI_COMM_WORLD);
  memset(got, 0, sizeof right);
  trunkline_reduce_scatter_block(own, got, each, pair, ordered, MPI_COMM_WORLD);
  for (int i = 0; i < each; ++i) expect(got[2 * i] == right[2 * i], "what does not commute", i);
  expect_native(1, "what does not commute");
  MPI_Type_free(&pair);
  MPI_Type_free(&wide);
  MPI_Op_free(&ordered);
  MPI_Op_free(&sum);
}

static void other_communicators(void) {
  MPI_Comm made = MPI_COMM_NULL, side = MPI_COMM_NULL;
  const int zeros[most_ranks] = {0};
  long long one = rank, all[most_ranks] = {0};
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made);
  all_four(70, 0, made, 0, "another communicator");
  all_four(70, 1, made, 0, "another communicator, in place");
  MPI_Comm_free(&made);
  trunkline_allgather(&one, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, MPI_COMM_SELF);
  expect(all[0] == rank, "MPI_COMM_SELF", (long)all[0]);
  trunkline_reduce_scatter_block(&one, all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_SELF);
  trunkline_barrier(MPI_COMM_SELF);
  expect_native(3, "one rank");
  trunkline_allgather(&one, 0, MPI_LONG_LONG, all, 0, MPI_LONG_LONG, MPI_COMM_WORLD);
  trunkline_allgatherv(&one, 0, MPI_LONG_LONG, all, zeros, zeros, MPI_LONG_LONG, MPI_COMM_WORLD);
  trunkline_reduce_scatter(&one, all, zeros, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  trunkline_reduce_scatter_block(&one, all, 0, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  expect_native(4, "nothing to move");
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &made);
  trunkline_allgather(&one, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, made);
  expect(all[0] == (rank == 0 ? 1 : 0), "between communicators", (long)all[0]);
  trunkline_barrier(made);
  expect_native(2, "between communicators");
  MPI_Comm_free(&made);
  MPI_Comm_free(&side);
}

/* MPI itself reports what is wrong, to the communicator's handler: of what all libraries find without harm. */
static void wrong_arguments(void) {
  MPI_Comm made = MPI_COMM_NULL;
  double some[most_ranks] = {0}, all[most_ranks] = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  expect(trunkline_reduce_scatter_block(some, all, 1, MPI_DOUBLE, MPI_BAND, made) != MPI_SUCCESS, "bits of doubles", 0);
  expect(trunkline_reduce_scatter_block(some, all, 1, MPI_DOUBLE, MPI_OP_NULL, made) != MPI_SUCCESS, "no operation", 0);
  expect(trunkline_allgather(some, 1, MPI_DATATYPE_NULL, all, 1, MPI_DOUBLE, made) != MPI_SUCCESS, "no datatype", 0);
  expect(trunkline_allgather(some, 1, MPI_DOUBLE, all, 1, MPI_DATATYPE_NULL, made) != MPI_SUCCESS, "none at all", 0);
  expect(trunkline_allgather(some, -1, MPI_DOUBLE, all, 1, MPI_DOUBLE, made) != MPI_SUCCESS, "less than nothing", 0);
  expect_native(5, "judged by the routine");
  MPI_Comm_free(&made);
}

/* All ranks are on one host: unlike MPI_Wtime, this is one clock. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Nobody leaves before the last one is there. */
static void nobody_leaves_early(void) {
  for (int late = 0; late < ranks; ++late) {
    double came = 0, left = 0, last = 0;
    if (late == rank) usleep(30000);
    came = now();
    trunkline_barrier(MPI_COMM_WORLD);
    left = now();
    PMPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    expect(left >= last, "left before the last one came", late);
  }
  for (int turn = 0; turn < 50; ++turn) trunkline_barrier(MPI_COMM_WORLD);
  expect_native(0, "ran natively");
}

int main(int argc, char** argv) {
  static const struct named_case cases[] = {
      {"every length", every_length},
      {"back to back", back_to_back},
      {"other datatypes", other_datatypes},
      {"operations of the program", operations_of_the_program},
      {"other communicators", other_communicators},
      {"wrong arguments", wrong_arguments},
      {"nobody leaves early", nobody_leaves_early},
  };
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  failed = run_cases(cases, sizeof cases / sizeof *cases, &failures);
  MPI_Finalize();
  return failed > 0;
}
