/* SPDX-License-Identifier: Apache-2.0
 * Trunkline's public C interface. An application needs none of it: preloading the library is enough. Benchmarks and
 * tests use it to choose an algorithm call by call; look the functions up with dlsym() to run without the library too.
 */
#ifndef TRUNKLINE_H
#define TRUNKLINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0 for MPICH 4.0.2"; static storage. */
const char* trunkline_version(void);

/* Chooses what a collective runs from now on ("bcast": MPI_Bcast; "reduce", "allreduce", "barrier",
 * "reduce-scatter", "reduce-scatter-block", "allgather", "allgatherv", "alltoall", "alltoallv",
 * "gather", "scatter", "scan", "exscan"), as TRUNKLINE_BCAST and the like do:
 * "native", "NAME" or "NAME:SEGMENT" (bytes, or with a unit: "linear:2832", "linear:4KiB"); "auto" or NULL returns to
 * Trunkline's own choice. Every rank of a communicator must have made the same choice when it calls the collective
 * there. Not to be called while such a call is under way in another thread. Returns 0, or -1 where a text is not
 * understood, names no collective or algorithm, or one that has to know the switches while no cluster is in use; the
 * choice is then as before. */
int trunkline_set(const char* collective, const char* choice);

/* Whether collective calls that begin from now on are traced (TRUNKLINE_TRACE), on this rank: 0: they are not; else
 * they are, as far as settings choose them. Each rank turns it between the same two calls, so that all have the same
 * ones. MPI_Pcontrol does the same. Returns what it was before, or -1 where the job is not traced. */
int trunkline_trace(int on);

/* What this thread's last call of a collective ran: an algorithm's name, static storage; "native" before the first, and
 * NULL where no collective has this name. */
const char* trunkline_last(const char* collective);

/* Segment in bytes of this thread's last call of a collective; 0 where it ran natively. */
unsigned long long trunkline_last_segment(const char* collective);

/* What multicast is to the communicator of this thread's last call of a collective, as this rank knows it. */
struct trunkline_multicast {
  const char* words;           /* for people, static storage; NULL: that call was not for multicast */
  unsigned long long calls;    /* multicasts on it; 0: it has no group */
  unsigned long long repaired; /* of them, in which this rank got a part of the message by asking, or sent one again */
  unsigned long long strange;  /* datagrams that it dropped: of somebody else, damaged or forged */
  unsigned long long early;    /* that it dropped since too many waited for their calls */
};

/* Returns 0, or -1 where no collective has this name. */
int trunkline_last_multicast(const char* collective, struct trunkline_multicast* state);

#ifdef __cplusplus
}
#endif

#endif
