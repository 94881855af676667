/* SPDX-License-Identifier: Apache-2.0
 * Broadcasts along one tree whose sends are made in several ways: `bench/send_forms.py` runs it on the lab.
 *
 *     trunkline-send-forms-MPI BYTES CALLS [CHILD...]...
 *
 * One word for each rank: its children in the order in which they are sent to, separated by commas; `-`: none. Rank 0
 * is the root. Prints for each way its name, the median over all calls of the seconds until the last rank had the
 * message, and of the seconds until the root's last send had returned. All ranks must read the same clock.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CHILDREN = 1024, WARM_UP = 2, MESSAGE = 7, READY = 8, MOST_UNDER_WAY = 2 };

struct node {
  int rank, parent, children, child[MOST_CHILDREN];
};

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Not MPI_STATUSES_IGNORE: the compiler takes MPICH's for an array without room. */
static MPI_Status statuses[MOST_CHILDREN];

/* The sends of one rank, in the plan's order. */
typedef void Sends(const struct node* me, const char* data, int bytes);

static void blocking(const struct node* me, const char* data, int bytes) {
  for (int i = 0; i < me->children; ++i) MPI_Send(data, bytes, MPI_BYTE, me->child[i], MESSAGE, MPI_COMM_WORLD);
}

static void synchronous(const struct node* me, const char* data, int bytes) {
  for (int i = 0; i < me->children; ++i) MPI_Ssend(data, bytes, MPI_BYTE, me->child[i], MESSAGE, MPI_COMM_WORLD);
}

static void at_once(const struct node* me, const char* data, int bytes) {
  MPI_Request sends[MOST_CHILDREN];
  for (int i = 0; i < me->children; ++i) {
    MPI_Isend(data, bytes, MPI_BYTE, me->child[i], MESSAGE, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Waitall(me->children, sends, statuses);
}

/* So many under way that what lies in buffers is bounded. */
static void few_at_once(const struct node* me, const char* data, int bytes) {
  MPI_Request sends[MOST_CHILDREN];
  for (int i = 0; i < me->children; ++i) {
    if (i >= MOST_UNDER_WAY) MPI_Wait(&sends[i - MOST_UNDER_WAY], MPI_STATUS_IGNORE);
    MPI_Isend(data, bytes, MPI_BYTE, me->child[i], MESSAGE, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Waitall(me->children, sends, statuses);
}

/* None before its receiver has said that it waits: nothing lies in buffers. */
static void once_ready(const struct node* me, const char* data, int bytes) {
  MPI_Request sends[MOST_CHILDREN];
  for (int i = 0; i < me->children; ++i) {
    MPI_Recv(NULL, 0, MPI_BYTE, me->child[i], READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(data, bytes, MPI_BYTE, me->child[i], MESSAGE, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Waitall(me->children, sends, statuses);
}

static const struct form {
  const char* name;
  Sends* sends; /* NULL: MPI_Bcast, whatever runs it */
} forms[] = {{"MPI_Send", blocking},       {"MPI_Ssend", synchronous}, {"MPI_Isend", at_once},
             {"2 MPI_Isend", few_at_once}, {"ready", once_ready},      {"MPI_Bcast", NULL}};

static struct node node_of(int rank, char** words) {
  struct node me = {.rank = rank, .parent = -1};
  for (int parent = 0; words[parent] != NULL; ++parent) {
    if (strcmp(words[parent], "-") == 0) continue;
    for (char *left = words[parent], *end = left; *left != '\0'; left = *end == ',' ? end + 1 : end) {
      const int child = (int)strtol(left, &end, 10);
      if (end == left) break;
      if (child == rank) me.parent = parent;
      if (parent == rank && me.children < MOST_CHILDREN) me.child[me.children++] = child;
    }
  }
  return me;
}

static int rises(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

/* Seconds until all had it; `sent`: until this rank's sends had returned. At the root. */
static double call(const struct node* me, const struct form* form, char* data, int bytes, double* sent) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request receive = MPI_REQUEST_NULL;
  if (form->sends != NULL && me->parent >= 0) {
    MPI_Irecv(data, bytes, MPI_BYTE, me->parent, MESSAGE, MPI_COMM_WORLD, &receive);
    if (form->sends == once_ready) MPI_Send(NULL, 0, MPI_BYTE, me->parent, READY, MPI_COMM_WORLD);
  }
  /* The root begins last: what its barrier took the others' way is over. */
  if (me->rank == 0) nanosleep(&(struct timespec){.tv_nsec = 150 * 1000 * 1000}, NULL);
  const double start = now_s();
  if (form->sends == NULL) {
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  double had = now_s();
  if (form->sends != NULL) form->sends(me, data, bytes);
  *sent = now_s() - start;
  double last = had;
  PMPI_Reduce(&had, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return last - start;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 1 ? atoi(argv[1]) : 0, calls = argc > 2 ? atoi(argv[2]) : 0;
  if (argc != 3 + ranks || bytes < 1 || calls < 1) {
    fprintf(stderr, "usage: trunkline-send-forms-MPI BYTES CALLS [CHILD...]..., one word a rank\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
  const struct node me = node_of(rank, argv + 3);
  char* const data = calloc((size_t)bytes, 1);
  double* const seconds = calloc((size_t)calls, sizeof *seconds);
  double* const sent = calloc((size_t)calls, sizeof *sent);
  for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
    for (int i = -WARM_UP; i < calls; ++i) {
      double until_sent = 0.0;
      const double took = call(&me, &forms[f], data, bytes, &until_sent);
      if (i >= 0) seconds[i] = took, sent[i] = until_sent;
    }
    qsort(seconds, (size_t)calls, sizeof *seconds, rises);
    qsort(sent, (size_t)calls, sizeof *sent, rises);
    if (rank == 0) printf("form;%s;%.9f;%.9f\n", forms[f].name, seconds[calls / 2], sent[calls / 2]);
  }
  free(data);
  free(seconds);
  free(sent);
  MPI_Finalize();
  return 0;
}
