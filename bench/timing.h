/* SPDX-License-Identifier: Apache-2.0
 * Timing a collective's algorithms against each other and against half a ping-pong, whatever carries the messages: what
 * the programs for MPI and those of papers/ share (docs/measuring.md).
 *
 * Every repetition of every algorithm starts at one instant on all ranks, named in advance by rank 0. The hosts of the
 * lab share a clock; elsewhere (--clocks own) each rank finds out before each size how far its clock is ahead of rank
 * 0's, by the fastest of some ping-pongs. Its time is that of the slowest rank. Algorithms take turns (A B A B), so
 * that a machine that slows down slows all of them. Each repetition sends new content, and every rank checks all of it.
 *
 * Rank 0 prints one JSON object a line for each repetition, in seconds, with the segment that was used.
 */
#pragma once
#include "message.h"

/* Values of a list: more than there are algorithms, in all forms of their calls. */
enum { MOST = 256 };

struct options {
  const struct collective* collective;
  size_t sizes[MOST];
  char* algorithms[MOST];
  double beat[MOST]; /* for each size the best seconds known from other runs; 0: none */
  int size_count, algorithm_count, beat_count;
  int peer, root, least, most;
  double budget_s, width;
  double race;          /* an algorithm whose best time is above this many times the best median is out; 0: no race */
  double give_up;       /* the run ends once a repetition takes this many times `beat` and a second; 0: never */
  double patience_s;    /* the run ends once nothing happens for so long; 0: never */
  int own_clocks;       /* hosts have clocks of their own, which are compared first; else the ranks share one */
  int surveys;          /* what the job has is said first (survey.h) */
  int asks;             /* sizes and algorithms come later, line by line (timing_mpi.c) */
  double tests_every_s; /* of what works beside calls: it tests them so often; 0: never */
};

/* How an algorithm's calls are made, by the end of its name: NAME, NAME/start, NAME/overlap, NAME/persistent and
 * NAME/row20. Those that overlap stand behind those that are started, and work for as long as these take. */
enum form { BLOCKING, STARTED, OVERLAPPED, PERSISTENT, IN_A_ROW };
enum form form_of(const char* algorithm);

/* Blocking calls of a repetition, nothing between them; a time is that of one. */
int calls_of(const char* algorithm);

/* How the ranks of a program talk. */
struct machine {
  int rank, ranks;
  void (*tell)(void* message, int bytes); /* from rank 0 to all */
  /* before the clock runs; NULL: nothing to do */
  void (*select)(const char* algorithm, const struct message* m);
  const char* (*prepare)(
      const struct message* m); /* before the clock runs; NULL, or why it cannot run; itself may be NULL */
  void (*open)(const char* algorithm, const struct message* m); /* before a start is named; NULL: nothing to do */
  void (*work)(double seconds); /* before the clock runs: so long a rank works beside the call; NULL: it cannot */
  void (*run)(const char* algorithm, const struct message* m);
  void (*close)(const struct message* m); /* after the clock has stopped, before the check; NULL: nothing to do */
  double (*ahead)(void);                  /* rank 0: seconds of the last run that are not counted; NULL: all are */
  void (*send)(void* buffer, size_t bytes, int to);
  void (*receive)(void* buffer, size_t bytes, int from);
  void (*slowest)(const double mine[2], double of_all[2]); /* greatest of each, to rank 0 */
  const char* (*ran)(const char* algorithm);
  unsigned long long (*segment)(const char* algorithm);
  void (*end)(int status); /* the whole job */
};

/* Ends the job with status 2 and a message. */
void fail(const struct machine* m, const char* what, const char* detail);

/* Ends the job where a size is none for the collective. */
void check_size(const struct machine* m, const struct collective* what, size_t bytes);

/* Reads the command line; ends the job where it is wrong. `m` is known by then. */
void read_options(const struct machine* m, int argc, char** argv, struct options* o);

/* All sizes, one after the other; ends the job with status 3 and a "given_up" line where --give-up says so. */
void measure_all(const struct machine* m, const struct options* o);

/* Rank 0's first line: the library's version, made fit for JSON in place. */
void print_library(char* version, int ranks);
