/* SPDX-License-Identifier: Apache-2.0
 * The message of one collective: which part of it each rank puts in and gets out, with content that every rank knows.
 *
 * Its size is that of all of it: the vector of bcast, reduce, allreduce, scan and exscan; the whole input of
 * reduce-scatter; the whole result of allgather and gather; all that a scatter's root has; the block of a pair of ranks
 * of alltoall, of alltoallv the one in the middle of half as much, as much and half as much again, by turns; 0 bytes of
 * a barrier. Sums are of 64-bit integers, so that they are exact.
 */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ROW and COLUMN: of blocks for each pair of ranks, those from a rank to all, and those from all to it. UP_TO_OWN and
 * BEFORE_OWN: sums of the ranks up to one's own, or before it, of which rank 0 has none. */
enum part { NOTHING, ALL_AT_ROOT, ALL, SHARE, ROW, COLUMN, UP_TO_OWN, BEFORE_OWN };

struct collective {
  const char* name; /* as the command names it */
  enum part given;  /* what of the message a rank puts in */
  enum part taken;  /* what it has afterwards */
  int sums;         /* the ranks' values are added; else bytes are moved */
  int even;         /* all shares, or blocks of pairs, are of one length */
};

/* NULL: there is none of that name. */
const struct collective* find_collective(const char* name);
/* "bcast, reduce, ...", for people. */
const char* collective_names(void);

struct message {
  const struct collective* of;
  size_t bytes;
  int rank, ranks, root;
  unsigned char* from; /* what this rank puts in; a broadcast's is where it arrives, too */
  unsigned char* to;
};

/* A part of the message. */
struct range {
  size_t first, bytes;
};
struct range share_of(const struct message* m, int rank);

/* Of what a rank has for another one, of pairs of ranks. Blocks begin as far from each other as slots are long. */
size_t pair_bytes(const struct message* m, int from, int to);
size_t slot_bytes(const struct message* m, size_t bytes);

/* A size must be a multiple of it. */
size_t unit_of(const struct collective* what, int ranks);

/* Bytes that a rank puts in of a message of that size, or gets, at most. */
size_t held_bytes(const struct message* m, size_t bytes);
/* Memory for messages up to that size; 0: there is none. Ends with free_message. */
int allocate_message(struct message* m, size_t most);
void free_message(struct message* m);

/* Puts in what belongs to a repetition, and clears where results go. */
void fill_message(const struct message* m, int repetition);
enum { RIGHT = -1 };
/* Where in the message the first wrong byte of this rank's result is, or RIGHT. */
long long first_wrong(const struct message* m, int repetition);

/* The same of plain bytes, such as those of a ping-pong. */
void fill_bytes(unsigned char* bytes, size_t count, int repetition);
long long first_wrong_byte(const unsigned char* bytes, size_t first, size_t count, int repetition);

#ifdef __cplusplus
}
#endif
