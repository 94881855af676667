/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER = sizeof(long long) };

static const struct collective known[] = {
    {"bcast", ALL_AT_ROOT, ALL, 0, 0},     {"reduce", ALL, ALL_AT_ROOT, 1, 0},
    {"allreduce", ALL, ALL, 1, 0},         {"barrier", NOTHING, NOTHING, 0, 0},
    {"reduce-scatter", ALL, SHARE, 1, 0},  {"reduce-scatter-block", ALL, SHARE, 1, 1},
    {"allgather", SHARE, ALL, 0, 1},       {"allgatherv", SHARE, ALL, 0, 0},
    {"alltoall", ROW, COLUMN, 0, 1},       {"gather", SHARE, ALL_AT_ROOT, 0, 1},
    {"scatter", ALL_AT_ROOT, SHARE, 0, 1}, {"alltoallv", ROW, COLUMN, 0, 0},
    {"scan", ALL, UP_TO_OWN, 1, 0},        {"exscan", ALL, BEFORE_OWN, 1, 0},
};
enum { KNOWN = sizeof known / sizeof *known };

const struct collective* find_collective(const char* name) {
  for (int k = 0; k < KNOWN; ++k) {
    if (strcmp(known[k].name, name) == 0) return &known[k];
  }
  return NULL;
}

const char* collective_names(void) {
  static char names[32 * KNOWN];
  names[0] = '\0';
  for (int k = 0; k < KNOWN; ++k) strcat(strcat(names, k ? ", " : ""), known[k].name);
  return names;
}

static size_t element_of(const struct collective* what) { return what->sums ? NUMBER : 1; }

size_t unit_of(const struct collective* what, int ranks) {
  return element_of(what) * (what->even && what->given != ROW ? (size_t)ranks : 1);
}

struct range share_of(const struct message* m, int rank) {
  const size_t element = element_of(m->of);
  const size_t all = m->bytes / element;
  const size_t each = all / (size_t)m->ranks;
  const size_t left = all % (size_t)m->ranks; /* the first ranks have one element more */
  const size_t before = (size_t)rank;
  const size_t first = before * each + (before < left ? before : left);
  return (struct range){first * element, (each + (before < left)) * element};
}

static int is_by_pairs(const struct message* m) { return m->of->given == ROW; }

size_t slot_bytes(const struct message* m, size_t bytes) { return m->of->even ? bytes : bytes + bytes / 2; }

size_t pair_bytes(const struct message* m, int from, int to) {
  const size_t half = m->of->even ? 0 : m->bytes / 2;
  return m->bytes - half + (size_t)((from + 2 * to) % 3) * half;
}

/* Of a column, as many bytes as it has, which do not lie in a row. */
static struct range part_of(const struct message* m, enum part part, int rank) {
  if (part == SHARE) return share_of(m, rank);
  const size_t row = (size_t)m->ranks * slot_bytes(m, m->bytes);
  if (part == ROW || part == COLUMN) return (struct range){part == ROW ? (size_t)rank * row : 0, row};
  const int none = part == NOTHING || (part == ALL_AT_ROOT && rank != m->root) || (part == BEFORE_OWN && rank == 0);
  return (struct range){0, none ? 0 : m->bytes};
}

static struct range given_by(const struct message* m, int rank) { return part_of(m, m->of->given, rank); }
static struct range taken_by(const struct message* m, int rank) { return part_of(m, m->of->taken, rank); }

size_t held_bytes(const struct message* m, size_t bytes) {
  return is_by_pairs(m) ? slot_bytes(m, bytes) * (size_t)m->ranks : bytes;
}

static int is_broadcast(const struct message* m) { return m->of->given == ALL_AT_ROOT && m->of->taken == ALL; }

int allocate_message(struct message* m, size_t most) {
  const size_t bytes = held_bytes(m, most) + 1;
  m->to = malloc(bytes);
  m->from = is_broadcast(m) ? m->to : malloc(bytes);
  return m->to && m->from;
}

void free_message(struct message* m) {
  if (m->from != m->to) free(m->from);
  free(m->to);
}

static unsigned char byte_at(size_t i, int repetition) {
  return (unsigned char)(i * 31 + (i >> 11) + (size_t)repetition * 7 + 1);
}

void fill_bytes(unsigned char* bytes, size_t count, int repetition) {
  for (size_t i = 0; i < count; ++i) bytes[i] = byte_at(i, repetition);
}

long long first_wrong_byte(const unsigned char* bytes, size_t first, size_t count, int repetition) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] != byte_at(first + i, repetition)) return (long long)(first + i);
  }
  return RIGHT;
}

/* What a rank adds is this times its weight. Neighbouring elements differ, and so do repetitions. */
static long long factor(size_t element, int repetition) {
  return (long long)((element * 31 + (element >> 11) + (size_t)repetition * 7) % 65521) + 1;
}

/* No rank's is in place of another's, or of two others'. */
static long long weight(int rank) { return 1 + ((long long)rank * 40503 + (long long)rank * rank * 17) % 1048573; }

static void put_number(unsigned char* at, long long value) { memcpy(at, &value, sizeof value); }

void fill_message(const struct message* m, int repetition) {
  const struct range given = given_by(m, m->rank);
  memset(m->to, 0, taken_by(m, m->rank).bytes);
  if (!m->of->sums) {
    for (size_t i = 0; i < given.bytes; ++i) m->from[i] = byte_at(given.first + i, repetition);
    return;
  }
  const long long own = weight(m->rank);
  for (size_t k = 0; k < given.bytes / NUMBER; ++k) put_number(m->from + k * NUMBER, own * factor(k, repetition));
}

long long first_wrong(const struct message* m, int repetition) {
  const struct range taken = taken_by(m, m->rank);
  if (is_by_pairs(m)) {
    for (int rank = 0; rank < m->ranks; ++rank) {
      const size_t slot = slot_bytes(m, m->bytes);
      const size_t before = (size_t)rank * slot;
      const size_t first = given_by(m, rank).first + (size_t)m->rank * slot;
      const long long wrong = first_wrong_byte(m->to + before, first, pair_bytes(m, rank, m->rank), repetition);
      if (wrong != RIGHT) return wrong - (long long)first + (long long)before;
    }
    return RIGHT;
  }
  if (!m->of->sums) return first_wrong_byte(m->to, taken.first, taken.bytes, repetition);
  const enum part part = m->of->taken;
  const int ranks = part == UP_TO_OWN ? m->rank + 1 : part == BEFORE_OWN ? m->rank : m->ranks;
  long long all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += weight(rank);
  for (size_t i = 0; i < taken.bytes; i += NUMBER) {
    unsigned char expected[NUMBER];
    put_number(expected, all * factor((taken.first + i) / NUMBER, repetition));
    for (size_t k = 0; k < NUMBER; ++k) {
      if (m->to[i + k] != expected[k]) return (long long)(taken.first + i + k);
    }
  }
  return RIGHT;
}
