/* SPDX-License-Identifier: Apache-2.0
 * Programs of others that a rank starts, and pipes to and from them. What goes wrong ends the job, with what the
 * program said last. None outlives its rank. */
#pragma once
#include <sys/types.h>

#include "timing.h"

enum { CHILD_IN = 1, CHILD_OUT = 2, CHILD_ERR = 4 };

struct child {
  const char* name;
  pid_t pid;
  int in, out, err; /* our ends; negative: it has the rank's own, or /dev/null as its input */
};

/* `argv[0]` is looked up on PATH. `pipes`: which of its files are pipes. */
struct child start_child(const struct machine* m, const char* const* argv, int pipes);

/* Reads that many bytes of its output. */
void read_output(const struct machine* m, const struct child* c, void* into, size_t bytes);

/* Reads lines of its standard error until one has that word. `line` gets it. */
void wait_for_line(const struct machine* m, const struct child* c, const char* word, char* line, size_t length);

/* Waits for its end, which must be a success, and closes the pipes. */
void end_child(const struct machine* m, struct child* c);

/* The first line of its standard error that has that word; then it is killed. */
void ask_child(const struct machine* m, const char* const* argv, const char* word, char* line, size_t length);
