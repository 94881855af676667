/* SPDX-License-Identifier: Apache-2.0
 * Times broadcast algorithms against each other and against half a ping-pong, in one run (docs/measuring.md).
 *
 *     trunkline-bench-MPI --sizes 8192,1048576 --algorithms native,linear:2824,auto --peer 4
 *
 * Every repetition of every algorithm starts at one instant on all ranks, named in advance by rank 0: the ranks share
 * a clock (the hosts of the lab do). Its time is that of the slowest rank. Algorithms take turns (A B A B), so that a
 * machine that slows down slows all of them. Each repetition sends new content, and every rank checks all of it.
 *
 * Prints one JSON object a line: a "time" for each repetition, in seconds, and a "done" with the segment that was used.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { MOST = 32, REPETITIONS = 1000, TAG = 11 };

struct step { /* what rank 0 tells the others to do next */
  int64_t start_ns;
  int32_t action; /* index of an algorithm, or one of the below */
  int32_t repetition;
};
enum { STOP = -1, NEXT_SIZE = -2, PING_PONG = -3 };

struct options {
  size_t sizes[MOST];
  char* algorithms[MOST];
  int size_count, algorithm_count;
  int peer, root, least, most;
  double budget_s, width;
  double race; /* an algorithm whose best time is above this many times the best median is out; 0: no race */
};

struct series {
  double seconds[REPETITIONS];
  int count;
  double spent_s;
};

static int rank, ranks;
static int (*set_bcast)(const char*);
static const char* (*last_bcast)(void);
static unsigned long long (*last_segment)(void);

static void fail(const char* what, const char* detail) {
  fprintf(stderr, "trunkline-bench: %s%s\n", what, detail);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t at_ns) {
  struct timespec t = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Whether the median's 95 % interval (order statistics) is narrow enough, or the time is up. */
static int decided(const struct series* s, const struct options* o) {
  if (s->count >= o->most || s->count >= REPETITIONS) return 1;
  if (s->count < o->least) return 0;
  if (s->spent_s > o->budget_s) return 1;
  double sorted[REPETITIONS];
  memcpy(sorted, s->seconds, (size_t)s->count * sizeof *sorted);
  qsort(sorted, (size_t)s->count, sizeof *sorted, compare);
  /* Ranks n/2 +- 0.98 sqrt(n) enclose the median with 95 %; below 6 values no interval does. */
  int reach = 0;
  while (reach * reach < s->count) ++reach;
  const int low = s->count / 2 - reach;
  const int high = s->count / 2 + reach;
  if (low < 0 || high >= s->count) return 0;
  return sorted[high] - sorted[low] < o->width * sorted[s->count / 2];
}

static double median_of(const struct series* s) {
  double sorted[REPETITIONS];
  memcpy(sorted, s->seconds, (size_t)s->count * sizeof *sorted);
  qsort(sorted, (size_t)s->count, sizeof *sorted, compare);
  return sorted[s->count / 2];
}

/* Whether algorithm `mine` can no longer be the fastest: even its best time is far above another one's median. */
static int beaten(const struct series* all, int mine, const struct options* o) {
  if (o->race <= 0 || all[mine].count == 0) return 0;
  double best = all[mine].seconds[0];
  for (int k = 1; k < all[mine].count; ++k) best = all[mine].seconds[k] < best ? all[mine].seconds[k] : best;
  for (int other = 0; other < o->algorithm_count; ++other) {
    if (all[other].count >= 2 && best > o->race * median_of(&all[other])) return 1;
  }
  return 0;
}

static void fill(unsigned char* buffer, size_t bytes, int repetition) {
  for (size_t i = 0; i < bytes; ++i) buffer[i] = (unsigned char)(i * 31 + (i >> 11) + (size_t)repetition * 7 + 1);
}

static void check(const unsigned char* buffer, size_t bytes, int repetition, const char* algorithm) {
  for (size_t i = 0; i < bytes; ++i) {
    if (buffer[i] == (unsigned char)(i * 31 + (i >> 11) + (size_t)repetition * 7 + 1)) continue;
    fprintf(stderr, "trunkline-bench: rank %d: wrong byte at %zu of %zu under %s\n", rank, i, bytes, algorithm);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void broadcast(const char* algorithm, unsigned char* buffer, size_t bytes, int root) {
  if (strcmp(algorithm, "native") == 0) {
    PMPI_Bcast(buffer, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(buffer, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  }
}

/* Half a ping-pong between the root and the next rank on its line. */
static void ping_pong(unsigned char* buffer, size_t bytes, const struct options* o) {
  if (rank == o->root) {
    MPI_Send(buffer, (int)bytes, MPI_BYTE, o->peer, TAG, MPI_COMM_WORLD);
    MPI_Recv(buffer, (int)bytes, MPI_BYTE, o->peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == o->peer) {
    MPI_Recv(buffer, (int)bytes, MPI_BYTE, o->root, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer, (int)bytes, MPI_BYTE, o->root, TAG, MPI_COMM_WORLD);
  }
}

/* One repetition on every rank. Rank 0 gets its seconds; negative where a rank heard of it too late to take part. */
static double repetition(const struct step* step, unsigned char* buffer, size_t bytes, const struct options* o) {
  const char* algorithm = step->action == PING_PONG ? "ping-pong" : o->algorithms[step->action];
  if (set_bcast && step->action != PING_PONG && strcmp(algorithm, "native") != 0 && set_bcast(algorithm) != 0) {
    fail("no such algorithm: ", algorithm);
  }
  if (rank == o->root) {
    fill(buffer, bytes, step->repetition);
  } else {
    memset(buffer, 0, bytes);
  }
  const double late = now_ns() > step->start_ns;
  sleep_until(step->start_ns);
  if (step->action == PING_PONG) {
    ping_pong(buffer, bytes, o);
  } else {
    broadcast(algorithm, buffer, bytes, o->root);
  }
  double mine[2] = {(double)(now_ns() - step->start_ns) * 1e-9, late};
  double slowest[2];
  if (step->action != PING_PONG) {
    check(buffer, bytes, step->repetition, algorithm);
  } else {
    if (rank == o->peer) check(buffer, bytes, step->repetition, algorithm);
    mine[0] = rank == o->root ? mine[0] / 2 : 0.0;
  }
  PMPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest[1] > 0 ? -1.0 : slowest[0];
}

/* Rank 0 decides; everyone does. */
static void measure(size_t bytes, unsigned char* buffer, const struct options* o) {
  static struct series all[MOST + 1]; /* the last one is the ping-pong */
  static int64_t notice_ns = 20000000;
  const int tracks = o->algorithm_count + 1;
  memset(all, 0, sizeof all);
  int turn = 0;
  int serial = 0;
  for (;;) {
    struct step step = {.action = NEXT_SIZE, .repetition = serial++};
    int track = -1;
    if (rank == 0) {
      for (int tried = 0; tried < tracks && track < 0; ++tried) {
        const int candidate = (turn + tried) % tracks;
        const int out = candidate < o->algorithm_count && beaten(all, candidate, o);
        if (!out && !decided(&all[candidate], o)) track = candidate;
      }
      if (track >= 0) {
        turn = track + 1;
        step.action = track == o->algorithm_count ? PING_PONG : track;
      }
      step.start_ns = now_ns() + notice_ns;
    }
    PMPI_Bcast(&step, (int)sizeof step, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (step.action == NEXT_SIZE) break;
    const double seconds = repetition(&step, buffer, bytes, o);
    int segment_owner = step.action == PING_PONG ? -1 : step.action;
    if (rank != 0) continue;
    if (seconds < 0) { /* give more notice, and do it again */
      notice_ns = notice_ns < 2000000000 ? notice_ns * 2 : notice_ns;
      continue;
    }
    struct series* s = &all[track];
    const int warm_up = s->spent_s == 0.0 && seconds < 1.0;
    s->spent_s += seconds;
    if (!warm_up) s->seconds[s->count++] = seconds;
    const char* name = segment_owner < 0 ? "ping-pong" : o->algorithms[segment_owner];
    const int accelerated = segment_owner >= 0 && set_bcast && strcmp(name, "native") != 0;
    printf(
        "{\"message_bytes\": %zu, \"algorithm\": \"%s\", \"seconds\": %.9g, \"warm_up\": %s, \"ran\": \"%s\", "
        "\"segment_bytes\": %llu, \"decided\": %s}\n",
        bytes, name, seconds, warm_up ? "true" : "false", accelerated ? last_bcast() : name,
        accelerated ? last_segment() : 0ULL, decided(s, o) ? "true" : "false");
    fflush(stdout);
  }
}

static int split(char* text, char** parts) {
  int count = 0;
  for (char* part = strtok(text, ","); part; part = strtok(NULL, ",")) {
    if (count == MOST) fail("too many values in a list", "");
    parts[count++] = part;
  }
  return count;
}

static void read_options(int argc, char** argv, struct options* o) {
  char* words[MOST];
  for (int i = 1; i < argc; i += 2) {
    char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value) fail("a value is missing after ", argv[i]);
    if (strcmp(argv[i], "--sizes") == 0) {
      o->size_count = split(value, words);
      for (int k = 0; k < o->size_count; ++k) o->sizes[k] = strtoull(words[k], NULL, 10);
    } else if (strcmp(argv[i], "--algorithms") == 0) {
      o->algorithm_count = split(value, o->algorithms);
    } else if (strcmp(argv[i], "--root") == 0) {
      o->root = atoi(value);
    } else if (strcmp(argv[i], "--peer") == 0) {
      o->peer = atoi(value);
    } else if (strcmp(argv[i], "--least") == 0) {
      o->least = atoi(value);
    } else if (strcmp(argv[i], "--most") == 0) {
      o->most = atoi(value);
    } else if (strcmp(argv[i], "--budget") == 0) {
      o->budget_s = atof(value);
    } else if (strcmp(argv[i], "--width") == 0) {
      o->width = atof(value);
    } else if (strcmp(argv[i], "--race") == 0) {
      o->race = atof(value);
    } else {
      fail("unknown option ", argv[i]);
    }
  }
  if (o->size_count == 0 || o->algorithm_count == 0) fail("--sizes and --algorithms are needed", "");
  if (o->root < 0 || o->root >= ranks || o->peer < 0 || o->peer >= ranks || o->peer == o->root) {
    fail("--root and --peer must be two different ranks", "");
  }
}

int main(int argc, char** argv) {
  struct options o = {.peer = 1, .least = 3, .most = 50, .budget_s = 10.0, .width = 0.04};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  read_options(argc, argv, &o);
  prctl(PR_SET_TIMERSLACK, 1000UL);
  *(void**)&set_bcast = dlsym(RTLD_DEFAULT, "trunkline_set_bcast");
  *(void**)&last_bcast = dlsym(RTLD_DEFAULT, "trunkline_last_bcast");
  *(void**)&last_segment = dlsym(RTLD_DEFAULT, "trunkline_last_bcast_segment");
  for (int k = 0; k < o.algorithm_count; ++k) {
    if (strcmp(o.algorithms[k], "native") != 0 && (!set_bcast || !last_bcast || !last_segment)) {
      fail("the preload library is not there, so only native can run, not ", o.algorithms[k]);
    }
  }
  size_t largest = 0;
  for (int k = 0; k < o.size_count; ++k) largest = o.sizes[k] > largest ? o.sizes[k] : largest;
  unsigned char* buffer = malloc(largest ? largest : 1);
  if (!buffer) fail("no memory for the largest message", "");
  if (rank == 0) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char* c = version; *c; ++c) {
      if (*c == '"' || *c == '\\' || *c == '\t') *c = ' ';
    }
    printf("{\"mpi_library\": \"%s\", \"ranks\": %d}\n", version, ranks);
    fflush(stdout);
  }
  for (int k = 0; k < o.size_count; ++k) measure(o.sizes[k], buffer, &o);
  free(buffer);
  MPI_Finalize();
  return 0;
}
