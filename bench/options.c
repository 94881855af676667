/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

static int split(const struct machine* m, char* text, char** parts) {
  int count = 0;
  for (char* part = strtok(text, ","); part; part = strtok(NULL, ",")) {
    if (count == MOST) fail(m, "too many values in a list", "");
    parts[count++] = part;
  }
  return count;
}

void check_size(const struct machine* m, const struct collective* what, size_t bytes) {
  if (what->given == NOTHING && bytes > 0) fail(m, "--sizes must be 0 for ", what->name);
  if (bytes % unit_of(what, m->ranks) == 0) return;
  char unit[96];
  snprintf(unit, sizeof unit, "%zu bytes with %d ranks", unit_of(what, m->ranks), m->ranks);
  fail(m, "--sizes must be multiples of ", unit);
}

void read_options(const struct machine* m, int argc, char** argv, struct options* o) {
  *o = (struct options){.peer = 1, .least = 3, .most = 50, .budget_s = 10.0, .width = 0.04};
  char* words[MOST];
  for (int i = 1; i < argc; i += 2) {
    char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (!value) fail(m, "a value is missing after ", argv[i]);
    if (strcmp(argv[i], "--collective") == 0) {
      o->collective = find_collective(value);
      if (!o->collective) fail(m, "no such collective; there are: ", collective_names());
    } else if (strcmp(argv[i], "--sizes") == 0) {
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
    } else if (strcmp(argv[i], "--tests-every") == 0) {
      o->tests_every_s = atof(value);
    } else if (strcmp(argv[i], "--race") == 0) {
      o->race = atof(value);
    } else if (strcmp(argv[i], "--give-up") == 0) {
      o->give_up = atof(value);
    } else if (strcmp(argv[i], "--patience") == 0) {
      o->patience_s = atof(value);
    } else if (strcmp(argv[i], "--clocks") == 0) {
      if (strcmp(value, "own") != 0 && strcmp(value, "shared") != 0) fail(m, "--clocks are own or shared, not ", value);
      o->own_clocks = strcmp(value, "own") == 0;
    } else if (strcmp(argv[i], "--ask") == 0) {
      if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) fail(m, "--ask is yes or no, not ", value);
      o->asks = strcmp(value, "yes") == 0;
    } else if (strcmp(argv[i], "--survey") == 0) {
      if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) fail(m, "--survey is yes or no, not ", value);
      o->surveys = strcmp(value, "yes") == 0;
    } else if (strcmp(argv[i], "--beat") == 0) {
      o->beat_count = split(m, value, words);
      for (int k = 0; k < o->beat_count; ++k) o->beat[k] = atof(words[k]);
    } else {
      fail(m, "unknown option ", argv[i]);
    }
  }
  if (!o->collective || (!o->asks && (o->size_count == 0 || o->algorithm_count == 0))) {
    fail(m, "--collective, --sizes and --algorithms are needed", "");
  }
  for (int k = 0; k < o->size_count; ++k) check_size(m, o->collective, o->sizes[k]);
  if (o->root < 0 || o->root >= m->ranks || o->peer < 0 || o->peer >= m->ranks || o->peer == o->root) {
    fail(m, "--root and --peer must be two different ranks", "");
  }
}
