/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "timing.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { REPETITIONS = 1000, GIVEN_UP = 3, FIRST_BYTES = 8192 };
/* Beyond the time to beat, before a job is ended: to end it and to start the next one costs more. */
static const double grace_s = 1.0;

struct step { /* what rank 0 tells the others to do next */
  int64_t start_ns;
  int32_t action; /* index of an algorithm, or one of the below */
  int32_t repetition;
};
enum { NEXT_SIZE = -2, PING_PONG = -3 };

struct series {
  double seconds[REPETITIONS];
  int count;
  double spent_s;
};

void fail(const struct machine* m, const char* what, const char* detail) {
  fprintf(stderr, "trunkline-bench: %s%s\n", what, detail);
  m->end(2);
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
  /* One short time may be a stray one. */
  if (all[mine].count < 3 && all[mine].spent_s < 0.5) return 0;
  double best = all[mine].seconds[0];
  for (int k = 1; k < all[mine].count; ++k) best = all[mine].seconds[k] < best ? all[mine].seconds[k] : best;
  for (int other = 0; other < o->algorithm_count; ++other) {
    if (all[other].count >= 2 && best > o->race * median_of(&all[other])) return 1;
  }
  return 0;
}

/* Of those that are still to be repeated, one that has had the fewest turns; among them by lot, since a time depends a
 * little on what ran before it. Negative: none is left. */
static int next_track(const struct series* all, const int* turns, double beat, const struct options* o) {
  static uint32_t lot = 1;
  int next = -1;
  uint32_t equals = 0;
  /* In a race of jobs the first one, which has nothing to beat, says what T(m) is. */
  const int tracks = o->give_up > 0 && beat > 0 ? o->algorithm_count : o->algorithm_count + 1;
  for (int track = 0; track < tracks; ++track) {
    if (decided(&all[track], o) || (track < o->algorithm_count && beaten(all, track, o))) continue;
    if (next >= 0 && turns[track] > turns[next]) continue;
    if (next < 0 || turns[track] < turns[next]) equals = 0;
    lot = lot * 1664525U + 1013904223U;
    if ((lot >> 8) % ++equals == 0) next = track;
  }
  return next;
}

static void fill(unsigned char* buffer, size_t bytes, int repetition) {
  for (size_t i = 0; i < bytes; ++i) buffer[i] = (unsigned char)(i * 31 + (i >> 11) + (size_t)repetition * 7 + 1);
}

static void check(const struct machine* m, const unsigned char* buffer, size_t bytes, int repetition,
                  const char* algorithm) {
  for (size_t i = 0; i < bytes; ++i) {
    if (buffer[i] == (unsigned char)(i * 31 + (i >> 11) + (size_t)repetition * 7 + 1)) continue;
    fprintf(stderr, "trunkline-bench: rank %d: wrong byte at %zu of %zu under %s\n", m->rank, i, bytes, algorithm);
    m->end(1);
    exit(1);
  }
}

/* Half a ping-pong between the root and the next rank on its line. */
static void ping_pong(const struct machine* m, unsigned char* buffer, size_t bytes, const struct options* o) {
  if (m->rank == o->root) {
    m->send(buffer, bytes, o->peer);
    m->receive(buffer, bytes, o->peer);
  } else if (m->rank == o->peer) {
    m->receive(buffer, bytes, o->root);
    m->send(buffer, bytes, o->root);
  }
}

static size_t bytes_under_way;       /* for the signal handler, */
static volatile sig_atomic_t racing; /* as is this: whether the time to beat ran out, not the patience */

static void too_slow(int number) {
  (void)number;
  char line[96];
  const int length =
      snprintf(line, sizeof line, "{\"given_up\": %zu, \"hung\": %s}\n", bytes_under_way, racing ? "false" : "true");
  const ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
  _exit(written == length ? GIVEN_UP : 2); /* the launcher ends the other ranks */
}

static void watch(double seconds) {
  const struct itimerval when = {
      .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
  setitimer(ITIMER_REAL, &when, NULL);
}

void watch_program(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--patience") != 0) continue;
    signal(SIGALRM, too_slow);
    watch(atof(argv[i + 1]));
  }
}

/* One repetition on every rank. Rank 0 gets its seconds; negative where a rank heard of it too late to take part. */
static double repetition(const struct machine* m, const struct step* step, unsigned char* buffer, size_t bytes,
                         const struct options* o) {
  const char* algorithm = step->action == PING_PONG ? "ping-pong" : o->algorithms[step->action];
  if (m->select && step->action != PING_PONG) m->select(algorithm);
  if (m->rank == o->root) {
    fill(buffer, bytes, step->repetition);
  } else {
    memset(buffer, 0, bytes);
  }
  const double late = now_ns() > step->start_ns;
  sleep_until(step->start_ns);
  if (step->action == PING_PONG) {
    ping_pong(m, buffer, bytes, o);
  } else {
    m->broadcast(algorithm, buffer, bytes, o->root);
  }
  double mine[2] = {(double)(now_ns() - step->start_ns) * 1e-9, late};
  double slowest[2];
  if (step->action != PING_PONG) {
    check(m, buffer, bytes, step->repetition, algorithm);
  } else {
    if (m->rank == o->peer) check(m, buffer, bytes, step->repetition, algorithm);
    mine[0] = m->rank == o->root ? mine[0] / 2 : 0.0;
  }
  m->slowest(mine, slowest);
  return slowest[1] > 0 ? -1.0 : slowest[0];
}

/* Rank 0 decides; everyone does. */
static void measure(const struct machine* m, size_t bytes, double beat, unsigned char* buffer,
                    const struct options* o) {
  static struct series all[MOST + 1]; /* the last one is the ping-pong */
  static int64_t notice_ns = 20000000;
  memset(all, 0, sizeof all);
  bytes_under_way = bytes;
  int turns[MOST + 1] = {0};
  int serial = 0;
  for (;;) {
    struct step step = {.action = NEXT_SIZE, .repetition = serial++};
    int track = -1;
    if (m->rank == 0) {
      track = next_track(all, turns, beat, o);
      if (track >= 0) {
        ++turns[track];
        step.action = track == o->algorithm_count ? PING_PONG : track;
      }
      step.start_ns = now_ns() + notice_ns;
    }
    m->tell(&step, (int)sizeof step);
    if (step.action == NEXT_SIZE) break;
    const int watched = m->rank == 0 && o->give_up > 0 && o->patience_s > 0 && beat > 0 && step.action != PING_PONG;
    racing = watched;
    if (watched) watch(2 * (double)notice_ns * 1e-9 + o->give_up * beat + grace_s);
    const double seconds = repetition(m, &step, buffer, bytes, o);
    racing = 0;
    if (o->patience_s > 0) watch(o->patience_s);
    if (m->rank != 0) continue;
    if (seconds < 0) { /* give more notice, and do it again */
      notice_ns = notice_ns < 2000000000 ? notice_ns * 2 : notice_ns;
      continue;
    }
    struct series* s = &all[track];
    const int warm_up = s->spent_s == 0.0 && seconds < 1.0;
    s->spent_s += seconds;
    if (!warm_up) s->seconds[s->count++] = seconds;
    const char* name = step.action == PING_PONG ? "ping-pong" : o->algorithms[step.action];
    printf(
        "{\"message_bytes\": %zu, \"algorithm\": \"%s\", \"seconds\": %.9g, \"warm_up\": %s, \"ran\": \"%s\", "
        "\"segment_bytes\": %llu, \"decided\": %s}\n",
        bytes, name, seconds, warm_up ? "true" : "false", m->ran(name), m->segment(name),
        decided(s, o) ? "true" : "false");
    fflush(stdout);
  }
}

static int split(const struct machine* m, char* text, char** parts) {
  int count = 0;
  for (char* part = strtok(text, ","); part; part = strtok(NULL, ",")) {
    if (count == MOST) fail(m, "too many values in a list", "");
    parts[count++] = part;
  }
  return count;
}

void read_options(const struct machine* m, int argc, char** argv, struct options* o) {
  *o = (struct options){.peer = 1, .least = 3, .most = 50, .budget_s = 10.0, .width = 0.04};
  char* words[MOST];
  for (int i = 1; i < argc; i += 2) {
    char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value) fail(m, "a value is missing after ", argv[i]);
    if (strcmp(argv[i], "--sizes") == 0) {
      o->size_count = split(m, value, words);
      for (int k = 0; k < o->size_count; ++k) o->sizes[k] = strtoull(words[k], NULL, 10);
    } else if (strcmp(argv[i], "--algorithms") == 0) {
      o->algorithm_count = split(m, value, o->algorithms);
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
    } else if (strcmp(argv[i], "--give-up") == 0) {
      o->give_up = atof(value);
    } else if (strcmp(argv[i], "--patience") == 0) {
      o->patience_s = atof(value);
    } else if (strcmp(argv[i], "--beat") == 0) {
      o->beat_count = split(m, value, words);
      for (int k = 0; k < o->beat_count; ++k) o->beat[k] = atof(words[k]);
    } else {
      fail(m, "unknown option ", argv[i]);
    }
  }
  if (o->size_count == 0 || o->algorithm_count == 0) fail(m, "--sizes and --algorithms are needed", "");
  if (o->root < 0 || o->root >= m->ranks || o->peer < 0 || o->peer >= m->ranks || o->peer == o->root) {
    fail(m, "--root and --peer must be two different ranks", "");
  }
}

void print_library(char* version, int ranks) {
  version[strcspn(version, "\n")] = '\0';
  for (char* c = version; *c; ++c) {
    if (*c == '"' || *c == '\\' || *c == '\t') *c = ' ';
  }
  printf("{\"mpi_library\": \"%s\", \"ranks\": %d}\n", version, ranks);
  fflush(stdout);
}

/* A broadcast that nobody times: what opening connections takes says nothing about an algorithm. */
static void open_connections(const struct machine* m, unsigned char* buffer, size_t bytes, const struct options* o) {
  for (int k = 0; k < o->algorithm_count; ++k) {
    if (m->select) m->select(o->algorithms[k]);
    memset(buffer, 0, bytes);
    m->broadcast(o->algorithms[k], buffer, bytes, o->root);
    const double mine[2] = {0.0, 0.0};
    double slowest[2];
    m->slowest(mine, slowest);
  }
}

void measure_all(const struct machine* m, const struct options* o) {
  prctl(PR_SET_TIMERSLACK, 1000UL);
  size_t largest = 1;
  for (int k = 0; k < o->size_count; ++k) largest = o->sizes[k] > largest ? o->sizes[k] : largest;
  unsigned char* buffer = malloc(largest);
  if (!buffer) fail(m, "no memory for the largest message", "");
  if (o->give_up > 0) open_connections(m, buffer, largest < FIRST_BYTES ? largest : FIRST_BYTES, o);
  for (int k = 0; k < o->size_count; ++k) measure(m, o->sizes[k], o->beat[k], buffer, o);
  free(buffer);
}
