/* SPDX-License-Identifier: Apache-2.0
 * Written for MPI 1: papers/ times what knows no more. */
#define _GNU_SOURCE
#include "mpi_calls.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int* counts; /* elements of each rank's share */
static int* starts; /* and where in the message it begins */

/* Of blocks of pairs, bytes. */
static int *to_others, *from_others, *slots;

static const MPI_Op* own_sum; /* NULL: MPI_SUM */

void sum_by(const void* operation) { own_sum = operation; }

static MPI_Op sum(void) { return own_sum ? *own_sum : MPI_SUM; }

static int is(const struct message* m, const char* name) { return strcmp(m->of->name, name) == 0; }

const char* prepare_call(const struct message* m) {
#if MPI_VERSION < 2 || (MPI_VERSION == 2 && MPI_SUBVERSION < 2)
  if (is(m, "reduce-scatter-block")) return "this library has no MPI_Reduce_scatter_block";
#endif
  if (!counts) counts = malloc(5 * (size_t)m->ranks * sizeof *counts);
  if (!counts) return "no memory for a number for each rank";
  starts = counts + m->ranks;
  to_others = starts + m->ranks;
  from_others = to_others + m->ranks;
  slots = from_others + m->ranks;
  const size_t element = m->of->sums ? sizeof(long long) : 1;
  for (int rank = 0; rank < m->ranks; ++rank) {
    const struct range share = share_of(m, rank);
    counts[rank] = (int)(share.bytes / element);
    starts[rank] = (int)(share.first / element);
    to_others[rank] = (int)pair_bytes(m, m->rank, rank);
    from_others[rank] = (int)pair_bytes(m, rank, m->rank);
    slots[rank] = (int)(slot_bytes(m, m->bytes) * (size_t)rank);
  }
  return NULL;
}

#define CALL(name, ...) (past_others ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

#if MPI_VERSION >= 3
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
enum { HAS_PERSISTENT = 1 };
#define BEGIN(nonblocking, name, ...) \
  (persistent ? CALL(name##_init, __VA_ARGS__, MPI_INFO_NULL, request) : CALL(nonblocking, __VA_ARGS__, request))
#else
enum { HAS_PERSISTENT = 0 };
#define BEGIN(nonblocking, name, ...) CALL(nonblocking, __VA_ARGS__, request)
#endif

/* The form that does not block, or a persistent one, which is not started. NULL, or why there is none. */
static const char* begin(const struct message* m, int past_others, int persistent, MPI_Request* request) {
  if (persistent && !HAS_PERSISTENT) return "this library has no persistent form of ";
  const MPI_Comm all = MPI_COMM_WORLD;
  const int bytes = (int)m->bytes;
  const int numbers = (int)(m->bytes / sizeof(long long));
  const int own = counts[m->rank];
  if (is(m, "bcast")) {
    BEGIN(Ibcast, Bcast, m->to, bytes, MPI_BYTE, m->root, all);
  } else if (is(m, "reduce")) {
    BEGIN(Ireduce, Reduce, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), m->root, all);
  } else if (is(m, "allreduce")) {
    BEGIN(Iallreduce, Allreduce, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), all);
  } else if (is(m, "barrier")) {
    BEGIN(Ibarrier, Barrier, all);
  } else if (is(m, "reduce-scatter")) {
    BEGIN(Ireduce_scatter, Reduce_scatter, m->from, m->to, counts, MPI_LONG_LONG_INT, sum(), all);
  } else if (is(m, "reduce-scatter-block")) {
    BEGIN(Ireduce_scatter_block, Reduce_scatter_block, m->from, m->to, own, MPI_LONG_LONG_INT, sum(), all);
  } else if (is(m, "allgather")) {
    BEGIN(Iallgather, Allgather, m->from, own, MPI_BYTE, m->to, own, MPI_BYTE, all);
  } else if (is(m, "allgatherv")) {
    BEGIN(Iallgatherv, Allgatherv, m->from, own, MPI_BYTE, m->to, counts, starts, MPI_BYTE, all);
  } else if (is(m, "alltoall")) {
    BEGIN(Ialltoall, Alltoall, m->from, bytes, MPI_BYTE, m->to, bytes, MPI_BYTE, all);
  } else if (is(m, "alltoallv")) {
    BEGIN(Ialltoallv, Alltoallv, m->from, to_others, slots, MPI_BYTE, m->to, from_others, slots, MPI_BYTE, all);
  } else if (is(m, "gather")) {
    BEGIN(Igather, Gather, m->from, own, MPI_BYTE, m->to, own, MPI_BYTE, m->root, all);
  } else if (is(m, "scatter")) {
    BEGIN(Iscatter, Scatter, m->from, own, MPI_BYTE, m->to, own, MPI_BYTE, m->root, all);
  } else if (is(m, "scan")) {
    BEGIN(Iscan, Scan, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), all);
  } else if (is(m, "exscan")) {
    BEGIN(Iexscan, Exscan, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), all);
  } else {
    return "there is no call of this program that does not block of ";
  }
  return NULL;
}

static double clock_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_s(double seconds) {
  const time_t whole = (time_t)seconds;
  nanosleep(&(struct timespec){.tv_sec = whole, .tv_nsec = (long)((seconds - (double)whole) * 1e9)}, NULL);
}

static MPI_Request begun = MPI_REQUEST_NULL;

const char* begin_mpi(const struct message* m, int past_others) { return begin(m, past_others, 0, &begun); }

int is_over(void) {
  int over = 0;
  MPI_Test(&begun, &over, MPI_STATUS_IGNORE);
  return over;
}

const char* start_mpi(const struct message* m, int past_others, struct work work) {
  const char* const why = begin_mpi(m, past_others);
  if (why) return why;
  const double end_s = clock_s() + work.seconds;
  int over = 0;
  for (double left_s = work.seconds; left_s > 0; left_s = end_s - clock_s()) {
    sleep_s(work.tests_every_s > 0 && work.tests_every_s < left_s ? work.tests_every_s : left_s);
    over = over || (work.tests_every_s > 0 && is_over());
  }
  MPI_Wait(&begun, MPI_STATUS_IGNORE);
  return NULL;
}

static MPI_Request made = MPI_REQUEST_NULL;

const char* make_persistent(const struct message* m, int past_others) { return begin(m, past_others, 1, &made); }

void start_persistent(void) {
  MPI_Start(&made);
  MPI_Wait(&made, MPI_STATUS_IGNORE);
}

void free_persistent(void) {
  if (made != MPI_REQUEST_NULL) MPI_Request_free(&made);
}
#else
const char* begin_mpi(const struct message* m, int past_others) {
  (void)m, (void)past_others;
  return "before MPI 3 each call blocks, also ";
}
int is_over(void) { return 1; }
const char* start_mpi(const struct message* m, int past_others, struct work work) {
  (void)work;
  return begin_mpi(m, past_others);
}
const char* make_persistent(const struct message* m, int past_others) {
  (void)m, (void)past_others;
  return "before MPI 4 there is no persistent form of ";
}
void start_persistent(void) {}
void free_persistent(void) {}
#endif

void call_mpi(const struct message* m, int past_others) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const int bytes = (int)m->bytes;
  const int numbers = (int)(m->bytes / sizeof(long long));
  const int own = counts[m->rank];
  if (is(m, "bcast")) {
    CALL(Bcast, m->to, bytes, MPI_BYTE, m->root, all);
  } else if (is(m, "reduce")) {
    CALL(Reduce, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), m->root, all);
  } else if (is(m, "allreduce")) {
    CALL(Allreduce, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), all);
  } else if (is(m, "barrier")) {
    CALL(Barrier, all);
  } else if (is(m, "reduce-scatter")) {
    CALL(Reduce_scatter, m->from, m->to, counts, MPI_LONG_LONG_INT, sum(), all);
#if MPI_VERSION > 2 || (MPI_VERSION == 2 && MPI_SUBVERSION >= 2)
  } else if (is(m, "reduce-scatter-block")) {
    CALL(Reduce_scatter_block, m->from, m->to, own, MPI_LONG_LONG_INT, sum(), all);
#endif
  } else if (is(m, "allgather")) {
    CALL(Allgather, m->from, own, MPI_BYTE, m->to, own, MPI_BYTE, all);
  } else if (is(m, "allgatherv")) {
    CALL(Allgatherv, m->from, own, MPI_BYTE, m->to, counts, starts, MPI_BYTE, all);
  } else if (is(m, "alltoall")) {
    CALL(Alltoall, m->from, bytes, MPI_BYTE, m->to, bytes, MPI_BYTE, all);
  } else if (is(m, "alltoallv")) {
    CALL(Alltoallv, m->from, to_others, slots, MPI_BYTE, m->to, from_others, slots, MPI_BYTE, all);
  } else if (is(m, "gather")) {
    CALL(Gather, m->from, own, MPI_BYTE, m->to, own, MPI_BYTE, m->root, all);
  } else if (is(m, "scatter")) {
    CALL(Scatter, m->from, own, MPI_BYTE, m->to, own, MPI_BYTE, m->root, all);
  } else if (is(m, "scan")) {
    CALL(Scan, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), all);
  } else if (is(m, "exscan")) {
    CALL(Exscan, m->from, m->to, numbers, MPI_LONG_LONG_INT, sum(), all);
  }
}

void end_calls(void) {
  free(counts);
  counts = NULL;
}
