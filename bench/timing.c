/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "timing.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "series.h"
#include "watch.h"

enum { FIRST_BYTES = 8192, LATE_NS = 1000000, CLOCK_QUESTIONS = 20 };
/* Beyond the time to beat, before a job is ended: to end it and to start the next one costs more. */
static const double grace_s = 1.0;

struct step { /* what rank 0 tells the others to do next */
  int64_t start_ns;
  double work_s;  /* of each rank, beside the call */
  int32_t action; /* index of an algorithm, or one of the below */
  int32_t repetition;
};
enum { NEXT_SIZE = -2, PING_PONG = -3 };

static const char row[] = "/row";

enum form form_of(const char* algorithm) {
  const char* const form = strchr(algorithm, '/');
  if (!form) return BLOCKING;
  if (strcmp(form, "/persistent") == 0) return PERSISTENT;
  if (strncmp(form, row, sizeof row - 1) == 0) return IN_A_ROW;
  return strcmp(form, "/overlap") == 0 ? OVERLAPPED : STARTED;
}

int calls_of(const char* algorithm) {
  const int calls = form_of(algorithm) == IN_A_ROW ? atoi(strchr(algorithm, '/') + sizeof row - 1) : 1;
  return calls > 1 ? calls : 1;
}

void fail(const struct machine* m, const char* what, const char* detail) {
  fprintf(stderr, "trunkline-bench: %s%s\n", what, detail);
  m->end(2);
  exit(2);
}

/* How far this host's clock is ahead of rank 0's. */
static int64_t ahead_ns = 0;

static int64_t own_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* By rank 0's clock. */
static int64_t now_ns(void) { return own_ns() - ahead_ns; }

/* Rank 0 asks each rank for its time; the answer that came back soonest says most about its clock. */
static void compare_clocks(const struct machine* m) {
  for (int rank = 1; rank < m->ranks; ++rank) {
    int64_t soonest = INT64_MAX;
    int64_t ahead = 0;
    for (int i = 0; i < CLOCK_QUESTIONS && (m->rank == 0 || m->rank == rank); ++i) {
      int64_t theirs = 0;
      if (m->rank == rank) {
        m->receive(&theirs, sizeof theirs, 0);
        theirs = own_ns();
        m->send(&theirs, sizeof theirs, 0);
        continue;
      }
      const int64_t asked = own_ns();
      m->send(&theirs, sizeof theirs, rank);
      m->receive(&theirs, sizeof theirs, rank);
      const int64_t answered = own_ns();
      if (answered - asked >= soonest) continue;
      soonest = answered - asked;
      ahead = theirs - asked - soonest / 2;
    }
    if (m->rank == 0) m->send(&ahead, sizeof ahead, rank);
    if (m->rank == rank) m->receive(&ahead_ns, sizeof ahead_ns, 0);
  }
}

/* By rank 0's clock. */
static void sleep_until(int64_t when_ns) {
  const int64_t at_ns = when_ns + ahead_ns;
  struct timespec t = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
  }
}

static void check(const struct machine* m, long long wrong, size_t bytes, const char* algorithm) {
  if (wrong == RIGHT) return;
  fprintf(stderr, "trunkline-bench: rank %d: wrong byte at %lld of %zu under %s\n", m->rank, wrong, bytes, algorithm);
  m->end(1);
  exit(1);
}

/* A barrier has no result but that nobody leaves before all have come. Once more, with another rank late each time. */
static void check_barrier(const struct machine* m, const struct message* message, const struct step* step,
                          const char* algorithm) {
  const int64_t spent_ns = now_ns() - step->start_ns;
  if (m->rank == step->repetition % m->ranks) sleep_until(now_ns() + LATE_NS + 2 * spent_ns);
  if (m->select) m->select(algorithm, message);
  const double come[2] = {(double)(now_ns() - step->start_ns) * 1e-9, 0.0};
  m->run(algorithm, message);
  const double left = (double)(now_ns() - step->start_ns) * 1e-9;
  double last[2] = {0.0, 0.0};
  if (m->close) m->close(message);
  m->slowest(come, last);
  m->tell(last, (int)sizeof last);
  if (left >= last[0]) return;
  fprintf(stderr, "trunkline-bench: rank %d: left the barrier %.0f us before the last rank came, under %s\n", m->rank,
          (last[0] - left) * 1e6, algorithm);
  m->end(1);
  exit(1);
}

/* Half a ping-pong between the root and the next rank on its line. */
static void ping_pong(const struct machine* m, const struct message* message, int peer) {
  if (m->rank == message->root) {
    m->send(message->to, message->bytes, peer);
    m->receive(message->to, message->bytes, peer);
  } else if (m->rank == peer) {
    m->receive(message->to, message->bytes, message->root);
    m->send(message->to, message->bytes, message->root);
  }
}

static double time_ping_pong(const struct machine* m, const struct step* step, const struct message* message,
                             int peer) {
  memset(message->to, 0, message->bytes);
  if (m->rank == message->root) fill_bytes(message->to, message->bytes, step->repetition);
  sleep_until(step->start_ns);
  ping_pong(m, message, peer);
  const double seconds = (double)(now_ns() - step->start_ns) * 1e-9;
  if (m->rank == peer) {
    check(m, first_wrong_byte(message->to, 0, message->bytes, step->repetition), message->bytes, "ping-pong");
  }
  return m->rank == message->root ? seconds / 2 : 0.0;
}

static double time_call(const struct machine* m, const struct step* step, const struct message* message,
                        const char* algorithm) {
  if (m->select) m->select(algorithm, message);
  if (m->work) m->work(step->work_s);
  fill_message(message, step->repetition);
  sleep_until(step->start_ns);
  m->run(algorithm, message);
  const double seconds = (double)(now_ns() - step->start_ns) * 1e-9 / calls_of(algorithm);
  if (m->close) m->close(message);
  check(m, first_wrong(message, step->repetition), message->bytes, algorithm);
  if (message->of->taken == NOTHING) check_barrier(m, message, step, algorithm);
  return seconds;
}

/* One repetition on every rank. Rank 0 gets its seconds; negative where a rank heard of it too late to take part. */
static double repetition(const struct machine* m, const struct step* step, const struct message* message,
                         const struct options* o) {
  const double late = now_ns() > step->start_ns;
  const double seconds = step->action == PING_PONG ? time_ping_pong(m, step, message, o->peer)
                                                   : time_call(m, step, message, o->algorithms[step->action]);
  const double mine[2] = {seconds, late};
  double slowest[2];
  m->slowest(mine, slowest);
  if (slowest[1] > 0) return -1.0;
  return m->ahead && step->action != PING_PONG ? slowest[0] - m->ahead() : slowest[0];
}

/* What takes a while to begin, such as a session, begins on all ranks before rank 0 names the start. */
static void open_all(const struct machine* m, struct step* step, const struct message* message, int64_t notice_ns,
                     const struct options* o) {
  const double mine[2] = {0.0, 0.0};
  double of_all[2];
  m->open(o->algorithms[step->action], message);
  m->slowest(mine, of_all);
  if (m->rank == 0) step->start_ns = now_ns() + notice_ns;
  m->tell(step, (int)sizeof *step);
}

/* Rank 0 decides; everyone does. */
static void measure(const struct machine* m, const struct message* message, double beat, const struct options* o) {
  static struct series all[MOST + 1]; /* the last one is the ping-pong */
  static int64_t notice_ns = 20000000;
  memset(all, 0, sizeof all);
  bytes_under_way = message->bytes;
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
        if (step.action != PING_PONG && form_of(o->algorithms[track]) == OVERLAPPED) {
          const struct series* const alone = &all[track - 1];
          step.work_s = alone->count > 0 ? median_seconds(alone) : alone->spent_s;
        }
      }
      step.start_ns = now_ns() + notice_ns;
    }
    m->tell(&step, (int)sizeof step);
    if (step.action == NEXT_SIZE) break;
    if (m->open && step.action != PING_PONG) open_all(m, &step, message, notice_ns, o);
    const int watched = m->rank == 0 && o->give_up > 0 && o->patience_s > 0 && beat > 0 && step.action != PING_PONG;
    racing = watched;
    if (watched) watch(2 * (double)notice_ns * 1e-9 + o->give_up * beat + grace_s);
    const double seconds = repetition(m, &step, message, o);
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
        "\"segment_bytes\": %llu, \"work_seconds\": %.9g, \"decided\": %s}\n",
        message->bytes, name, seconds, warm_up ? "true" : "false", m->ran(name), m->segment(name), step.work_s,
        decided(s, o) ? "true" : "false");
    fflush(stdout);
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

/* Ends the job where the library cannot make the call. */
static void resize(const struct machine* m, struct message* message, size_t bytes) {
  message->bytes = bytes;
  const char* why = m->prepare ? m->prepare(message) : NULL;
  if (why) fail(m, why, "");
}

/* A call that nobody times: what opening connections takes says nothing about an algorithm. */
static void open_connections(const struct machine* m, const struct message* message, const struct options* o) {
  for (int k = 0; k < o->algorithm_count; ++k) {
    if (m->select) m->select(o->algorithms[k], message);
    fill_message(message, 0);
    m->run(o->algorithms[k], message);
    if (m->close) m->close(message);
    const double mine[2] = {0.0, 0.0};
    double slowest[2];
    m->slowest(mine, slowest);
  }
}

void measure_all(const struct machine* m, const struct options* o) {
  prctl(PR_SET_TIMERSLACK, 1000UL);
  struct message message = {.of = o->collective, .rank = m->rank, .ranks = m->ranks, .root = o->root};
  size_t largest = 0;
  for (int k = 0; k < o->size_count; ++k) largest = o->sizes[k] > largest ? o->sizes[k] : largest;
  if (!allocate_message(&message, largest)) fail(m, "no memory for the largest message", "");
  if (o->give_up > 0) {
    const size_t first = largest < FIRST_BYTES ? largest : FIRST_BYTES;
    resize(m, &message, first - first % unit_of(o->collective, m->ranks));
    open_connections(m, &message, o);
  }
  for (int k = 0; k < o->size_count; ++k) {
    if (o->own_clocks) compare_clocks(m);
    resize(m, &message, o->sizes[k]);
    measure(m, &message, o->beat[k], o);
  }
  free_message(&message);
}
