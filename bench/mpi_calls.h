/* SPDX-License-Identifier: Apache-2.0
 * Collectives as calls of MPI on MPI_COMM_WORLD. */
#pragma once
#include "message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before the clock runs: what the call needs to know of each rank. NULL, or why the library cannot. */
const char* prepare_call(const struct message* m);
/* By the names that go past every library in front of MPI (PMPI_), or by those that do not. */
void call_mpi(const struct message* m, int past_others);

/* What a program does while a call is under way. */
struct work {
  double seconds;
  double tests_every_s; /* 0: never */
};
/* The form that does not block, one at a time; whether it is over, by MPI_Test. NULL, or why there is none, to be
 * followed by the collective's name. */
const char* begin_mpi(const struct message* m, int past_others);
int is_over(void);
/* The same, and then MPI_Wait. Work is sleep: processors of hosts that a lab shares have other ranks' work to do. */
const char* start_mpi(const struct message* m, int past_others, struct work work);

/* The persistent form, one at a time: made, started and waited for as often as one likes, and freed. Native ones are
 * started by the same functions. NULL, or why there is none, as above. */
const char* make_persistent(const struct message* m, int past_others);
void start_persistent(void);
void free_persistent(void);
/* From now on the MPI_Op there stands for MPI_SUM, which sums up as that does; NULL: none does. */
void sum_by(const void* operation);
/* Memory that prepare_call took. */
void end_calls(void);

#ifdef __cplusplus
}
#endif
