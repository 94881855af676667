/* SPDX-License-Identifier: Apache-2.0
 * What the kernel was asked to start when this process began, and whether the same would run if it were asked again.
 */
#ifndef TRUNKLINE_STARTED_H
#define TRUNKLINE_STARTED_H

#include <limits.h>

struct started {
  int is_certain;      /* that the process runs what the kernel was asked for, by itself or by the loader */
  char file[PATH_MAX]; /* what to start; where it is not certain, what the kernel did start, or nothing */
  char** arguments;    /* with which; those of main(), or of the loader with its options */
};

/* Not certain it is under valgrind and emulators, where the program is not what the kernel runs, and where a handler of
 * binfmt_misc was told something that no other start can tell it. */
void find_started(int count, char** arguments, struct started* found) __attribute__((visibility("hidden")));

#endif
