/* SPDX-License-Identifier: Apache-2.0
 * Ranks that talk over TCP, each connected to rank 0 alone: for programs that time what brings no messages of its own.
 */
#pragma once
#include "timing.h"

enum { MOST_RANKS = 512 };

/* Fills in rank, ranks, tell, send, receive, slowest and end. `hosts`: one a rank, separated by commas; rank 0 is on
 * the first. Ends the program with status 2 where the others do not come within half a minute. */
void connect_ranks(struct machine* m, int rank, const char* hosts);

/* A file that can be read once rank 0 is gone (on other ranks; negative on rank 0): to be waited for beside others. */
int rank_0_gone(void);
