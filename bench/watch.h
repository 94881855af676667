/* SPDX-License-Identifier: Apache-2.0
 * Ends a program that takes too long, with a "given_up" line and status 3; the launcher ends the other ranks. */
#pragma once
#include <signal.h>
#include <stddef.h>

extern size_t bytes_under_way;       /* for the line, */
extern volatile sig_atomic_t racing; /* as is this: whether the time to beat ran out, not the patience */

/* From now on so many seconds are left; 0: any number. */
void watch(double seconds);

/* Watches the program if --patience is among the words: settings under measurement may hang at any point, even before
 * and after MPI. Each call of watch() begins anew. */
void watch_program(int argc, char** argv);
