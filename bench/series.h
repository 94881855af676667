/* SPDX-License-Identifier: Apache-2.0
 * The times of what takes turns: when there are enough of them, and whose turn it is. */
#pragma once
#include "timing.h"

enum { REPETITIONS = 1000 };

struct series {
  double seconds[REPETITIONS];
  int count;
  double spent_s;
};

/* Of at least one. */
double median_seconds(const struct series* s);

/* Whether the median's 95 % interval (order statistics) is narrow enough, or the time is up. */
int decided(const struct series* s, const struct options* o);

/* Of those that are still to be repeated, one that has had the fewest turns; among them by lot, since a time depends a
 * little on what ran before it. The ping-pong comes behind the algorithms. Negative: none is left. */
int next_track(const struct series* all, const int* turns, double beat, const struct options* o);
