/* SPDX-License-Identifier: Apache-2.0
 * Times a collective's algorithms of an MPI library and of the preload library (timing.h says how).
 *
 *     trunkline-bench-MPI --collective bcast --sizes 8192,1048576 --algorithms native,linear:2824,auto --peer 4
 *
 * Written for MPI 1: papers/ times what knows no more.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_calls.h"
#include "survey.h"
#include "timing.h"
#include "trunkline.h"
#include "watch.h"

enum { TAG = 11 };

static struct machine us;
static int (*set_choice)(const char*, const char*);
static const char* (*last_run)(const char*);
static unsigned long long (*last_segment)(const char*);
static struct options options;

static double work_s;

/* Of NAME or NAME/FORM. */
static const char* name_of(const char* algorithm) {
  static char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(algorithm, "/"), algorithm);
  return name;
}

static int is_native(const char* algorithm) { return strcmp(name_of(algorithm), "native") == 0; }

static int is_accelerated(const char* algorithm) {
  return set_choice && !is_native(algorithm) && strcmp(algorithm, "ping-pong") != 0;
}

static void tell(void* message, int bytes) { PMPI_Bcast(message, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }

static void choose(const char* algorithm, const struct message* m) {
  if (is_accelerated(algorithm) && set_choice(options.collective->name, name_of(algorithm)) != 0)
    fail(&us, "no such algorithm: ", algorithm);
  if (form_of(algorithm) != PERSISTENT) return;
  const char* const why = make_persistent(m, is_native(algorithm));
  if (why) fail(&us, why, options.collective->name);
}

static void set_work(double seconds) { work_s = seconds; }

static void run(const char* algorithm, const struct message* m) {
  const enum form form = form_of(algorithm);
  if (form == PERSISTENT) return start_persistent();
  if (form == BLOCKING || form == IN_A_ROW) {
    for (int call = 0; call < calls_of(algorithm); ++call) call_mpi(m, is_native(algorithm));
    return;
  }
  const struct work work = {.seconds = work_s, .tests_every_s = options.tests_every_s};
  const char* const why = start_mpi(m, is_native(algorithm), work);
  if (why) fail(&us, why, options.collective->name);
}

static void close_call(const struct message* m) {
  (void)m;
  free_persistent();
}

static void send_to(void* buffer, size_t bytes, int to) {
  MPI_Send(buffer, (int)bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void receive_from(void* buffer, size_t bytes, int from) {
  MPI_Recv(buffer, (int)bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void slowest(const double mine[2], double of_all[2]) {
  double own[2] = {mine[0], mine[1]};
  PMPI_Reduce(own, of_all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static const char* ran(const char* algorithm) {
  return is_accelerated(algorithm) ? last_run(options.collective->name) : name_of(algorithm);
}

static unsigned long long segment(const char* algorithm) {
  return is_accelerated(algorithm) ? last_segment(options.collective->name) : 0ULL;
}

/* Not at once: launchers drop what they have not passed on yet of what the ranks say. */
static void end(int status) {
  nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
  MPI_Abort(MPI_COMM_WORLD, status);
}

/* Where a rank has no library, all run what MPI runs: only a job that is examined may. */
static void check_algorithms(void) {
  for (int k = 0; k < options.algorithm_count; ++k) {
    const int is_asked = options.surveys && strcmp(options.algorithms[k], "auto") == 0;
    if (!is_native(options.algorithms[k]) && !is_asked && (!set_choice || !last_run || !last_segment)) {
      fail(&us, "the preload library is not there, so only native can run, not ", options.algorithms[k]);
    }
  }
}

/* Rank 0 is told what to measure by lines of its standard input, "BYTES SECONDS ALGORITHM ...", each measured and then
 * answered by {"measured": BYTES}, until there are no more. */
static void serve(void) {
  static char line[1 << 14];
  for (;;) {
    int length = 0;
    if (us.rank == 0 && fgets(line, sizeof line, stdin)) length = (int)strlen(line) + 1;
    tell(&length, (int)sizeof length);
    if (length == 0) return;
    tell(line, length);
    char* rest = NULL;
    const char* const bytes = strtok_r(line, " \n", &rest);
    const char* const seconds = strtok_r(NULL, " \n", &rest);
    if (!bytes || !seconds) fail(&us, "no size and seconds in a line of standard input", "");
    options.sizes[0] = strtoull(bytes, NULL, 10);
    options.budget_s = atof(seconds);
    options.size_count = 1;
    options.algorithm_count = 0;
    for (char* name = strtok_r(NULL, " \n", &rest); name; name = strtok_r(NULL, " \n", &rest)) {
      if (options.algorithm_count == MOST) fail(&us, "too many algorithms in a line of standard input", "");
      options.algorithms[options.algorithm_count++] = name;
    }
    check_size(&us, options.collective, options.sizes[0]);
    check_algorithms();
    measure_all(&us, &options);
    if (us.rank != 0) continue;
    printf("{\"measured\": %zu}\n", options.sizes[0]);
    fflush(stdout);
  }
}

/* Every rank multicasts a byte, so that it shows where one of them is not heard: rank 0 says what is known of it. */
static void try_multicast(void) {
  int (*last)(const char*, struct trunkline_multicast*) = NULL;
  *(void**)&last = dlsym(RTLD_DEFAULT, "trunkline_last_multicast");
  const int can = set_choice && last && set_choice("bcast", "multicast") == 0;
  char byte = 0;
  for (int root = 0; root < us.ranks; ++root) MPI_Bcast(&byte, 1, MPI_BYTE, root, MPI_COMM_WORLD);
  struct trunkline_multicast own = {.words = NULL};
  if (can) {
    last("bcast", &own);
    set_choice("bcast", "auto");
  }
  double counts[3] = {(double)own.repaired, (double)own.strange, (double)own.early};
  double all[3] = {0.0, 0.0, 0.0};
  PMPI_Reduce(counts, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (us.rank != 0 || !own.words) return;
  printf(
      "{\"multicast\": \"%s\", \"works\": %s, \"calls\": %llu, \"repaired\": %.0f, \"strange\": %.0f, \"early\": "
      "%.0f}\n",
      own.words, own.calls > 0 ? "true" : "false", own.calls, all[0], all[1], all[2]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  watch_program(argc, argv);
#if MPI_VERSION >= 2
  /* The preload library's thread has to be allowed for; native calls then run under the same level. */
  const char* const progress = getenv("TRUNKLINE_PROGRESS");
  const int needed = progress && strcmp(progress, "thread") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int level = 0;
  MPI_Init_thread(&argc, &argv, needed, &level);
#else
  MPI_Init(&argc, &argv);
#endif
  us = (struct machine){.tell = tell,
                        .select = choose,
                        .prepare = prepare_call,
                        .work = set_work,
                        .run = run,
                        .close = close_call,
                        .send = send_to,
                        .receive = receive_from,
                        .slowest = slowest,
                        .ran = ran,
                        .segment = segment,
                        .end = end};
  MPI_Comm_rank(MPI_COMM_WORLD, &us.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &us.ranks);
#if MPI_VERSION >= 2
  if (level < needed) fail(&us, "the MPI library has no MPI_THREAD_MULTIPLE, which TRUNKLINE_PROGRESS needs", "");
#endif
  read_options(&us, argc, argv, &options);
  *(void**)&set_choice = dlsym(RTLD_DEFAULT, "trunkline_set");
  *(void**)&last_run = dlsym(RTLD_DEFAULT, "trunkline_last");
  *(void**)&last_segment = dlsym(RTLD_DEFAULT, "trunkline_last_segment");
  check_algorithms();
  if (us.rank == 0) {
#if MPI_VERSION >= 3
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
#else
    char version[] = "an MPI 1"; /* which cannot be asked */
#endif
    print_library(version, us.ranks);
  }
  if (options.surveys) {
    options.peer = survey(&us);
    try_multicast();
  }
  if (options.asks) {
    serve();
  } else {
    measure_all(&us, &options);
  }
  end_calls();
  MPI_Finalize();
  return 0;
}
