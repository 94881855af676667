/* SPDX-License-Identifier: Apache-2.0 */
#include "series.h"

#include <stdint.h>
#include <string.h>

#include "median.h"

static void sort_times(const struct series* s, double* sorted) {
  memcpy(sorted, s->seconds, (size_t)s->count * sizeof *sorted);
  sort_values(sorted, s->count);
}

int decided(const struct series* s, const struct options* o) {
  if (s->count >= o->most || s->count >= REPETITIONS) return 1;
  if (s->count < o->least) return 0;
  if (s->spent_s > o->budget_s) return 1;
  double sorted[REPETITIONS];
  sort_times(s, sorted);
  /* Ranks n/2 +- 0.98 sqrt(n) enclose the median with 95 %; below 6 values no interval does. */
  int reach = 0;
  while (reach * reach < s->count) ++reach;
  const int low = s->count / 2 - reach;
  const int high = s->count / 2 + reach;
  if (low < 0 || high >= s->count) return 0;
  return sorted[high] - sorted[low] < o->width * sorted[s->count / 2];
}

double median_seconds(const struct series* s) {
  double sorted[REPETITIONS];
  sort_times(s, sorted);
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
    if (all[other].count >= 2 && best > o->race * median_seconds(&all[other])) return 1;
  }
  return 0;
}

int next_track(const struct series* all, const int* turns, double beat, const struct options* o) {
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
