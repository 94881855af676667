/* SPDX-License-Identifier: Apache-2.0 */
/* steady_calls SECONDS BYTES [bcast|allreduce]: a broadcast of so many bytes from rank 0, or a sum of so many over all
 * ranks, each half second, all ranks at the same instant of the machine's clock: for a lab, whose hosts share it. Each
 * is checked. Rank 0 prints a line for each: when it began, on CLOCK_MONOTONIC, the seconds until the last rank was
 * done, and what ran. Exit status 3: something was wrong, or ranks ran different things. Compiled and run by
 * slow_link.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_calls = 100000 };
static const double period_s = 0.5;

typedef const char* Last(const char*);

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double instant) {
  struct timespec until = {(time_t)instant, (long)((instant - (double)(time_t)instant) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

static int digest(const char* text) {
  unsigned value = 5381;
  for (; *text != '\0'; ++text) value = value * 33 + (unsigned char)*text;
  return (int)(value & 0x7fffffff);
}

static int operand(int rank, int call, int at) { return rank + call + at % 97; }

static void fill(int* data, int count, int rank, int call, int sums) {
  for (int at = 0; at < count; ++at) data[at] = sums || rank == 0 ? operand(rank, call, at) : -1;
}

/* Whether a call left something else than its result. */
static int is_wrong(const int* data, int count, int ranks, int call, int sums) {
  int wrong = 0;
  for (int at = 0; at < count; ++at) {
    const int once = operand(0, call, at);
    wrong |= data[at] != (sums ? ranks * once + ranks * (ranks - 1) / 2 : once);
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = argc > 1 ? atof(argv[1]) : 10.0;
  const int count = (argc > 2 ? atoi(argv[2]) : 8192) / (int)sizeof(int);
  const char* const collective = argc > 3 ? argv[3] : "bcast";
  const int sums = strcmp(collective, "allreduce") == 0;
  int calls = (int)(seconds / period_s);
  if (calls > most_calls) calls = most_calls;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  union {
    void* found;
    Last* function;
  } last = {dlsym(RTLD_DEFAULT, "trunkline_last")};
  int* data = malloc((size_t)count * sizeof *data);
  double* ends = calloc((size_t)calls, sizeof *ends);
  double* all_ends = calloc((size_t)calls, sizeof *all_ends);
  int* ran = calloc(2 * (size_t)calls, sizeof *ran);
  int* all_ran = calloc(2 * (size_t)calls, sizeof *all_ran);
  const char** names = calloc((size_t)calls, sizeof *names);
  int wrong = 0;
  double start = now_s() + 2.0;
  PMPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i) {
    fill(data, count, rank, i, sums);
    sleep_until(start + i * period_s);
    if (sums) {
      MPI_Allreduce(MPI_IN_PLACE, data, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Bcast(data, count, MPI_INT, 0, MPI_COMM_WORLD);
    }
    ends[i] = now_s();
    wrong |= is_wrong(data, count, ranks, i, sums);
    names[i] = last.function != NULL ? last.function(collective) : "native";
    ran[2 * i] = digest(names[i]);
    ran[2 * i + 1] = -ran[2 * i];
  }
  PMPI_Reduce(ends, all_ends, calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Reduce(ran, all_ran, 2 * calls, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < calls; ++i) {
    if (all_ran[2 * i] != -all_ran[2 * i + 1]) wrong = 1;
    printf("%.6f %.6f %s\n", start + i * period_s, all_ends[i] - (start + i * period_s), names[i]);
  }
  MPI_Finalize();
  return wrong != 0 && rank == 0 ? 3 : 0;
}
