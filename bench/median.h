/* SPDX-License-Identifier: Apache-2.0
 * Times in order, and the one in the middle. */
#pragma once
#include <stdlib.h>

static inline int compare_values(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline void sort_values(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_values);
}

/* Sorts them; of an even number the upper one of the two in the middle. */
static inline double median_of(double* values, int count) {
  sort_values(values, count);
  return values[count / 2];
}
