/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "survey.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_BYTES = 64 << 10, MOST_BYTES = 16 << 20, TIMES = 3, MOST_INTERFACES = 64 };

/* What one rank says of itself. */
struct entry {
  char host[64], library[64], interface[32];
  double interface_bytes;
};

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct counter {
  char name[32];
  double bytes; /* received and sent */
};

static int read_counters(struct counter* all) {
  FILE* const file = fopen("/proc/net/dev", "r");
  char line[512];
  int count = 0;
  while (file && fgets(line, sizeof line, file) && count < MOST_INTERFACES) {
    double received = 0.0;
    double sent = 0.0;
    if (sscanf(line, " %31[^: ]: %lf %*s %*s %*s %*s %*s %*s %*s %lf", all[count].name, &received, &sent) != 3)
      continue;
    all[count++].bytes = received + sent;
  }
  if (file) fclose(file);
  return count;
}

/* The interface whose count has risen most. */
static void find_busiest(const struct counter* before, int known, struct entry* own) {
  struct counter after[MOST_INTERFACES];
  const int count = read_counters(after);
  own->interface_bytes = 0.0;
  for (int i = 0; i < count; ++i) {
    double rise = after[i].bytes;
    for (int k = 0; k < known; ++k) {
      if (strcmp(before[k].name, after[i].name) == 0) rise -= before[k].bytes;
    }
    if (rise <= own->interface_bytes) continue;
    own->interface_bytes = rise;
    memcpy(own->interface, after[i].name, sizeof own->interface);
  }
}

/* Seconds one way, the best of a few. On both ranks of the pair; 0 on others. */
static double one_way(const struct machine* m, char* buffer, size_t bytes, int first, int second) {
  double best = 0.0;
  for (int i = 0; i <= TIMES; ++i) {
    const double start = now_s();
    if (m->rank == first) {
      m->send(buffer, bytes, second);
      m->receive(buffer, bytes, second);
    } else {
      m->receive(buffer, bytes, first);
      m->send(buffer, bytes, first);
    }
    const double seconds = (now_s() - start) / 2;
    if (i > 0 && (best == 0.0 || seconds < best)) best = seconds; /* the first one opens the connection */
  }
  return best;
}

/* Bits a second between two ranks, from what the longer three quarters of a message add to its time. */
static double rate_between(const struct machine* m, char* buffer, int first, int second) {
  size_t bytes = LEAST_BYTES;
  double before = one_way(m, buffer, bytes / 4, first, second);
  for (;;) {
    double seconds = one_way(m, buffer, bytes, first, second);
    double more = m->rank == first && seconds < 0.005 && bytes < MOST_BYTES;
    /* The first rank judges for both. */
    if (m->rank == first) m->send(&more, sizeof more, second);
    if (m->rank == second) m->receive(&more, sizeof more, first);
    if (more == 0.0) return seconds > before ? 8.0 * 0.75 * (double)bytes / (seconds - before) : 0.0;
    bytes *= 4;
    before = seconds;
  }
}

/* Returns at rank 0 the first rank on another host than its own; 1 where there is none. */
static int collect(const struct machine* m, struct entry* own, double rate) {
  const struct entry first = *own;
  int elsewhere = 1;
  if (m->rank != 0) {
    m->send(own, sizeof *own, 0);
    m->send(&rate, sizeof rate, 0);
    return elsewhere;
  }
  for (int rank = 0; rank < m->ranks; ++rank) {
    if (rank > 0) {
      m->receive(own, sizeof *own, rank);
      m->receive(&rate, sizeof rate, rank);
    }
    if (elsewhere == 1 && strcmp(own->host, first.host) != 0) elsewhere = rank;
    printf(
        "{\"rank\": %d, \"host\": \"%s\", \"preload\": \"%s\", \"interface\": \"%s\", \"interface_bytes\": %.0f, "
        "\"rate_to_next_bps\": %.6g}\n",
        rank, own->host, own->library, own->interface, own->interface_bytes, rate);
  }
  fflush(stdout);
  return elsewhere;
}

int survey(const struct machine* m) {
  struct entry own = {.host = "", .library = "", .interface = ""};
  struct counter before[MOST_INTERFACES];
  const int known = read_counters(before);
  const char* (*version)(void) = NULL;
  *(void**)&version = dlsym(RTLD_DEFAULT, "trunkline_version");
  if (version) snprintf(own.library, sizeof own.library, "%s", version());
  const char* const named = getenv("TRUNKLINE_HOST");
  if (named && *named) {
    snprintf(own.host, sizeof own.host, "%s", named);
  } else if (gethostname(own.host, sizeof own.host - 1) != 0) {
    fail(m, "no host name", "");
  }
  char* const buffer = calloc(1, MOST_BYTES);
  if (!buffer) fail(m, "no memory for 16 MiB", "");
  double rate = 0.0;
  for (int first = 0; first + 1 < m->ranks; ++first) {
    double turn = first;
    m->tell(&turn, (int)sizeof turn); /* rank 0 may be ahead of the others, none of which begins before its turn */
    if (m->rank == first) rate = rate_between(m, buffer, first, first + 1);
    if (m->rank == first + 1) rate_between(m, buffer, first, first + 1);
    double done[2] = {0.0, 0.0};
    double last[2];
    m->slowest(done, last); /* rank 0 waits for the pair */
  }
  free(buffer);
  find_busiest(before, known, &own);
  int elsewhere = collect(m, &own, rate);
  m->tell(&elsewhere, (int)sizeof elsewhere);
  return elsewhere;
}
